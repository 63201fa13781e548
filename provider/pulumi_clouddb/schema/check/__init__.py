"""What is said of inputs before any request.

`rules` has rules over several fields, `within` limits of one dialect, and `wording` the words of limits and forms.
`findings` turns limits and rules into failures and warnings; `advice` says what to write instead, and `open_lists`
finds the values of which check only warns. `places` compares the places of values. `claims` has what a resource sets
and needs of objects, and finds contradictions.
"""
