"""What is said of inputs before any request.

`rules` has rules over several fields, `within` limits of one dialect, and `wording` the words of limits and forms.
`findings` turns limits and rules into failures and warnings; `advice` says what to write instead, and `open_lists`
and `texts` find the values and the texts of which check only warns. `claims` has what a resource sets and needs of
objects, and finds contradictions.
"""
