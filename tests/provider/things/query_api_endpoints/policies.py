"""Policy cases of query API endpoints: their origins and roles."""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN
from policy.case import Case

IDS = {"serviceId": "e9465b4b-f7e5-4937-8e21-8d508b02843d", "apiKeyIds": ["3b8f5c1e-6d2a-4f7b-8c90-1a2b3c4d5e6f"]}

CASES = [
    Case(
        "query-endpoint-no-any-origin",
        "QueryApiEndpoint",
        fails={"allowedOrigins": ["https://shop.example.com", "*"]},
        says="allowedOrigins contains '*'; list the origins",
        also=(({"allowedOrigins": [UNKNOWN, "*"]}, "allowedOrigins contains '*'"),),
        passes={"allowedOrigins": ["https://shop.example.com", "https://*.example.com"]},
        unknown={"allowedOrigins": [UNKNOWN]},
    ),
    Case(
        "query-endpoint-no-admin",
        "QueryApiEndpoint",
        fails={**IDS, "roles": ["sql_console_admin", "reader"]},
        says="roles contains 'sql_console_admin'; use sql_console_read_only, or a role of your own",
        also=(({"roles": [UNKNOWN, "sql_console_admin"]}, "roles contains 'sql_console_admin'"),),
        passes={"roles": ["sql_console_read_only"]},
        unknown={"roles": [UNKNOWN]},
        fixed={"roles": ["reader"]},
        unfixed=({"roles": ["sql_console_admin"]}, {"roles": ["reader", "sql_console_admin", UNKNOWN]}),
    ),
]
