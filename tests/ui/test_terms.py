"""Glossary: every term of the field has an entry, and titles that say one are explained."""

from __future__ import annotations

import pytest

from messages.catalogue import LANGUAGES, t
from ui import plain_table, tables, terms
from ui.plain_table import cell
from ui.tables import Column

FIELD = """
KV cache=KVキャッシュ|key=キー|value=バリュー|query=クエリ|attention=アテンション
self-attention layer=セルフアテンション層|causal mask=因果マスク|dense attention=密なアテンション
full-attention layer=フルアテンション層|linear attention=線形アテンション
hybrid=混成（ハイブリッド）
token=トークン|context length=文脈長|prefill=プリフィル|decode=デコード
autoregressive generation=逐次生成|multi-head attention=マルチヘッドアテンション
multi-query attention=マルチクエリアテンション|grouped-query attention=グループ化クエリアテンション
multi-head latent attention=マルチヘッド潜在アテンション|KV head=KVヘッド|query head=クエリヘッド
head dimension=ヘッド次元|latent state=潜在状態|projection=射影|absorbed projection=射影の吸収
rotary position embedding=回転位置埋め込み（RoPE）|decoupled position part=分離した位置成分
weights=重み|active parameters=活性パラメータ|state-space model=状態空間モデル
decay gate=減衰ゲート|delta rule=デルタ則|kernel=カーネル
bytes per token=1トークン当たりのバイト数|compute=計算|capacity=容量|bandwidth=帯域幅
bandwidth-bound=帯域律速|concurrent sequences=同時本数|throughput=処理能力|latency=遅延
time to first token (TTFT)=最初のトークンまでの時間（TTFT）
time per output token (TPOT)=1トークン当たりの生成時間（TPOT）
fragmentation=断片化|internal fragmentation=内部断片化|external fragmentation=外部断片化
paged attention=PagedAttention（ページ化アテンション）|block=ブロック|block table=ブロック表
block length=ブロック長|logical block=論理ブロック|physical block=物理ブロック
prefix=プレフィックス|prefix caching=プレフィックスキャッシュ|system prompt=システムプロンプト
hash collision=ハッシュの衝突|salt=ソルト|trust boundary=信頼の境界
timing side channel=遅延差による推測|eviction=追い出し
least recently used=LRU（最も長く使われていないものから）|clairvoyant policy=先読み最適（Belady）
hit-ratio curve=ヒット率曲線|miss-ratio curve=ミス率曲線|offload=退避|storage tier=階層
recompute=再計算|transfer=転送|disaggregated inference=分離推論|prefill pool=プリフィル機
decode pool=デコード機|quantisation=量子化|quantisation error=量子化誤差|scale=スケール値
calibration=校正|lossless=無損失|approximate=近似
prompt cache=プロンプトキャッシュ|cache write=キャッシュ書き込み|cache read=キャッシュ読み出し
uncached input=通常入力|output tokens=出力トークン|read multiplier=読み出し倍率
write premium=書き込みの割増料金|lifetime=保持期間|TTL=保持期間
minimum cacheable length=保存できる最小長|breakpoint=区切り点|look-back=遡り照合
implicit cache=暗黙のキャッシュ|explicit cache=明示キャッシュ|storage fee=保存料|hit=ヒット
miss=ミス|hit ratio=ヒット率|saving=節約額（マイナスは損失）|break-even=損益分岐点
baseline=比較の基準|unpriced=価格不明|price table=価格表|as of=時点
high-bandwidth memory (HBM)=広帯域メモリー（HBM）|market share=シェア|stacked layers=積層数
mass-production shipment=量産出荷|long-term contract=長期契約|revenue=売上高
gross profit=売上総利益|operating profit=営業利益|operating loss=営業損失
R&D expenses=研究開発費|year on year=前年同期比|fiscal year ended March 2026=2026年3月期
annual securities report=有価証券報告書（有報）|keyword count=出現回数
indices of industrial production=鉱工業指数|production index=生産指数
producer price index=生産者物価指数|first print=初回公表値|revised=改定値|vintage=公表時点
inference=推論|training=学習|generative AI=生成AI|large language model=大規模言語モデル（LLM）
data centre=データセンター|power demand=電力需要|supply capability=供給力|utilisation=稼働率
on-site generation=敷地内発電|Jevons paradox=ジェボンズの逆説
cross-model KV transfer=モデル間のKVキャッシュ移植|ridge regression=リッジ回帰
linear map=線形写像|retention=精度保持率|cosine similarity=コサイン類似度
coefficient of determination=決定係数（R²）|prefill again=再プリフィル
"""
PAIRS = [pair.split("=") for line in FIELD.split("\n") for pair in line.split("|") if pair]


@pytest.mark.parametrize(("english", "japanese"), PAIRS)
def test_every_term_of_the_field_has_an_entry(english: str, japanese: str) -> None:
    found = [
        term
        for term in terms.TERMS
        if english.casefold() in {form.casefold() for form in _forms(term)}
        and japanese in _forms(term)
    ]
    assert found, (english, japanese)


def _forms(term: str) -> set[str]:
    whole = {terms.name(term, lang) for lang in LANGUAGES}
    split = {part for name in whole for part in (name, name.removesuffix(" figure"))}
    return split | set(terms.forms(term))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_has_a_name_and_a_meaning(language: str) -> None:
    assert len(terms.TERMS) == len(set(terms.TERMS))
    for term in terms.TERMS:
        for part in ("name", "means"):
            key = f"glossary.{term}.{part}"
            assert t(language, key) != key
    assert set(terms.FORMS) | terms.EVERYDAY <= set(terms.TERMS)


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Hit-ratio curve by policy", ("hit_curve",)),
        ("Hit ratio", ("hit_ratio",)),
        ("TTFT, P95", ("ttft",)),
        ("KV heads and bytes per token", ("kv_head", "bytes_per_token")),
        ("プリフィルとデコード", ("prefill", "decode")),
        ("キャッシュ読み出し", ("cache_read",)),
        ("API key", ()),
        ("Value", ()),
        ("Prefilled", ()),
    ],
)
def test_a_title_is_known_by_the_longest_term_that_it_says(
    title: str, said: tuple[str, ...]
) -> None:
    assert terms.spoken_of(title) == said


def test_titles_of_tables_are_explained_on_hover() -> None:
    shown = plain_table.markup(["", "Hit ratio"], [[cell("LRU"), cell("36 %")]], "policies")
    assert '<abbr tabindex="0" title="hit ratio (ヒット率): ' in shown
    told = tables._config(Column(title="Hit ratio", values=[0.36], kind="percent"))
    assert told["help"].startswith("hit ratio (ヒット率): ")
    assert tables._config(Column(title="Team", values=["a"]))["help"] is None
