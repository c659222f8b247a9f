"""What pages are made of: router, frame, components, charts, downloads."""
