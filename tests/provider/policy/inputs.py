"""Cases of the rules about inputs of any resource: names, deprecated properties, credentials, ignored changes."""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN, Secret
from policy.case import Case

CASES = [
    Case(
        "no-deprecated-properties",
        "Service",
        fails={"minTotalMemoryGb": 24, "tier": UNKNOWN},
        says="tier is deprecated; tier was replaced by the tiers of the organization",
        also=(({"minTotalMemoryGb": 24}, "minTotalMemoryGb is deprecated; minTotalMemoryGb is wrong for"),),
        passes={"minReplicaMemoryGb": 16},
        unknown={"minReplicaMemoryGb": UNKNOWN},
    ),
    Case(
        "no-deprecated-properties",
        "UserDefinedFunction",
        fails={"sandboxVersion": "v3"},
        says="sandboxVersion is deprecated; the server chooses it",
        passes={"sandboxType": "basic"},
        unknown={"sandboxType": UNKNOWN},
    ),
    *(
        Case(
            "naming",
            about,
            settings={"pattern": "[A-Z][a-z]+( [A-Z][a-z]+)*"},
            fails={"name": "shop"},
            says="name is 'shop'; choose one that matches [A-Z][a-z]+( [A-Z][a-z]+)*",
            passes={"name": "Shop Reports"},
        )
        for about in ("Service", "PostgresService", "ApiKey", "Dashboard", "Alert")
    ),
    Case(
        "naming",
        "Dashboard",
        fails={"name": "Shop "},
        says="name is 'Shop '; choose one that matches ",
        also=(({"name": "1st"}, "name is '1st'"),),
        passes={"name": "Überblick (EU)"},
        also_passes=({"name": "A"},),
    ),
    *(
        Case(
            "no-ignored-protection",
            about,
            fails={},
            options={"ignore_changes": ("ipAccessList[0].source",)},
            says="ignoreChanges contains 'ipAccessList[0].source'; remove it",
            unknown={"ipAccessList": UNKNOWN},
        )
        for about in ("Service", "ApiKey")
    ),
    Case(
        "no-ignored-protection",
        "Service",
        fails={},
        options={"ignore_changes": ('["ipAccessList"][0].source',)},
        says="ignoreChanges contains '[\"ipAccessList\"][0].source'; remove it",
        passing_options={"ignore_changes": ('["name"]', "tags.ipAccessList")},
        unknown={"ipAccessList": UNKNOWN},
    ),
    Case(
        "no-credentials-in-inputs",
        "Alert",
        fails={"message": "See https://reader:hunter22@wiki.example/alerts"},
        says="message seems to contain a credential; remove it, and rotate it",
        also=(
            ({"message": "Authorization: Bearer abcdefghijklmnop"}, "message seems to contain"),
            ({"channel": {"type": "webhook", "webhookId": "token=a1b2c3d4e5"}}, "channel.webhookId seems to contain"),
            ({"name": UNKNOWN, "message": "-----BEGIN RSA PRIVATE KEY-----"}, "message seems to contain"),
            ({"message": "AKIAABCDEFGHIJKLMNOP"}, "message seems to contain"),
        ),
        passes={"message": "Reset the password: see https://wiki.example/alerts. token=unknown"},
    ),
    Case(
        "no-credentials-in-inputs",
        "ApiKey",
        config={"clouddb:keySecret": Secret("4b1dGeheim"), "shop:short": Secret("report")},
        fails={"rotation": "after 4b1dGeheim"},
        says="rotation contains a value of secret configuration; remove it",
        passes={"rotation": "reports"},
    ),
    Case(
        "no-credentials-in-inputs",
        "Dashboard",
        fails={"tiles": [{"name": "A"}, {"name": "B", "config": {"markdown": "postgres://u:p4ssword@db.example"}}]},
        says="tiles[1].config.markdown seems to contain a credential",
        passes={"name": Secret("https://reader:hunter22@wiki.example")},
        also_passes=({"name": "Shop token report"},),
        unknown={"tiles": [{"name": UNKNOWN}]},
    ),
    Case(
        "no-credentials-in-inputs",
        "Service",
        fails={"dataWarehouseId": "Bearer abcdefghijklmnop"},
        says="dataWarehouseId seems to contain",
        passes={"encryptionKey": "password = 'a1b2c3d4e5'"},  # another rule reports that it is not marked
        unknown={"encryptionKey": UNKNOWN},
    ),
    *(
        Case(
            "no-credentials-in-inputs", about, fails={name: "password = 'a1b2c3d4e5'"}, says=f"{name} seems to contain"
        )
        for about, name in (("Service", "byocId"), ("ApiKey", "rotation"), ("PipeScaling", "onDelete"))
    ),
]
