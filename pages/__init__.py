"""The pages of the web app: widgets and one service call each."""
