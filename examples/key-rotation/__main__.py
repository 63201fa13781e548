"""A key that is rotated without downtime: two keys take turns, and one number in the configuration moves them on.

Run `pulumi up` in this folder. `pulumi config set rotation 1` and `pulumi up` renew the key that nobody uses, and make
it the current one. The key before it works until the next rotation, so that readers have that long to change over.
"""

import pulumi

import pulumi_clouddb as clouddb

number = pulumi.Config().get_int("rotation", 0)

# Each rotation renews one of the two: the odd ones the first, the even ones the second.
renewed = {"a": (number + 1) // 2, "b": number // 2}
keys = {
    name: clouddb.ApiKey(
        f"reader-{name}",
        name=f"Reader {name}",
        roles=["query_endpoints"],
        rotation=str(times),
    )
    for name, times in renewed.items()
}
current = keys["a" if number % 2 else "b"]

pulumi.export("keyId", current.access_key_id)
pulumi.export("keySecret", current.key_secret)
