"""The facts of the vendor's published descriptions, and what servers do against them.

`cloud.json` has the cloud's description of 2026-07-31, and `observability.json` that of the self-hosted server 2.36.0
(2026-08-21), without their texts, but with digests of the sentences that state rules. `overlay` has what they lack, and
`accounts` what becomes of these sentences. `make description` compares them with newer ones.
"""
