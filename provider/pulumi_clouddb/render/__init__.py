"""Pictures of dashboards, as SVG and as an HTML page, from a preview, from state or from what is live.

`objects` reads dashboards and alerts from wherever they are, `picture` says what is to be seen, `layout` where it goes,
and `svg` and `html` draw it. Shapes are schematic: nothing here asks a server for data.
"""
