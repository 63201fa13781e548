"""Pictures of dashboards as SVG and as an HTML page, from a preview, from state or from the server.

`objects` reads dashboards and alerts, `picture` selects what to show, `layout` places the tiles, and `svg` and `html`
draw them. Shapes are schematic: nothing here queries data.
"""
