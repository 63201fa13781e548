"""Probes of the organization: its keys, roles, members and usage."""

from __future__ import annotations

import base64
import hashlib
import secrets
import string
from datetime import date, timedelta
from typing import Any

from acceptance.bench import Bench, Values
from acceptance.outcome import NotProbed, Outcome, each_holds, equal, holds_if

_LETTERS = string.ascii_letters + string.digits


def _key(bench: Bench, **more: Any) -> Values:
    """Create a key, and return its record."""
    record: Values = bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["developer"], **more})["key"]
    return record


def _changed(bench: Bench, key: Values, body: Values) -> Values:
    record: Values = bench.cloud("PATCH", f"/keys/{key['id']}", body).result
    return record


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _credentials() -> dict[str, str]:
    """Return an id and a secret of our own."""
    id_, secret = ("".join(secrets.choice(_LETTERS) for _ in range(length)) for length in (20, 42))
    return {"key_id": id_, "key_secret": secret}


def _hash_data(key_id: str, key_secret: str) -> Values:
    """Return the hashes of credentials, with the end of the id."""
    return {"keyIdHash": _hash(key_id), "keyIdSuffix": key_id[-4:], "keySecretHash": _hash(key_secret)}


def _usable(bench: Bench) -> tuple[Values, dict[str, str]]:
    """Create a key, and return its record and its credentials."""
    made = bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["developer"]})
    return made["key"], {"key_id": made["keyId"], "key_secret": made["keySecret"]}


def _status_of(bench: Bench, status: int, **credentials: str) -> Outcome:
    """Read the services with a key, for a minute until the response has a status."""
    path = bench.of_organization("/services")
    reply = bench.until(
        lambda: bench.send_as("GET", path, **credentials), lambda seen: seen.status == status, minutes=1.0
    )
    return equal(reply.status, status, "the status of a request with the key")


# -- keys -------------------------------------------------------------------------------------------------------------


def key_secret_is_only_in_the_create(bench: Bench) -> Outcome:
    """Create a key, and read it."""
    made = bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["developer"]})
    record = bench.cloud("GET", f"/keys/{made['key']['id']}").result
    return each_holds(
        holds_if(made.get("keyId") and made.get("keySecret"), "the response to the create lacks id or secret"),
        holds_if(not {"keySecret", "keyId"} & {*record}, "the record has the credentials"),
    )


def key_shows_the_end_of_its_id(bench: Bench) -> Outcome:
    """Compare the id in the response to a create with the record."""
    made = bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["developer"]})
    return equal(made["key"].get("keySuffix"), str(made.get("keyId"))[-4:], "keySuffix")


def key_is_created_from_hashes(bench: Bench) -> Outcome:
    """Create a key by the hashes of its credentials, and use it."""
    credentials = _credentials()
    hashes = _hash_data(**credentials)
    made = bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["developer"], "hashData": hashes})
    return each_holds(
        holds_if(not made.get("keySecret"), "the response has a secret of its own"),
        equal(made["key"].get("keySuffix"), hashes["keyIdSuffix"], "keySuffix"),
        _status_of(bench, 200, **credentials),
    )


def key_hashes_are_unique(bench: Bench) -> Outcome:
    """Create a second key of the same hashes."""
    hashes = {"hashData": _hash_data(**_credentials())}
    _key(bench, **hashes)
    reply = bench.cloud("POST", "/keys", {"name": bench.name("Key"), "roles": ["developer"], **hashes})
    if reply.response.is_success:
        bench.will_delete(bench.of_organization(f"/keys/{reply.result['key']['id']}"))
    return holds_if(400 <= reply.status < 500, reply.words)


def key_names_repeat(bench: Bench) -> Outcome:
    """Create two keys of one name."""
    one = _key(bench)
    return holds_if(_key(bench, name=one["name"])["id"] != one["id"], "a second key of a name is the first one")


def key_needs_no_role(bench: Bench) -> Outcome:
    """Create a key without roles."""
    record = bench.make_cloud("/keys", {"name": bench.name("Key")})["key"]
    return equal(record.get("roles") or [], [], "the roles of a key without roles")


def null_clears_the_expiry_of_a_key(bench: Bench) -> Outcome:
    """Set an expiry, and clear it."""
    key = _key(bench, expireAt="2099-01-01T00:00:00.000Z")
    after = _changed(bench, key, {"expireAt": None})
    return each_holds(
        holds_if(key.get("expireAt"), "a new key has no expiry"), equal(after.get("expireAt"), None, "expireAt")
    )


def key_update_keeps_what_it_omits(bench: Bench) -> Outcome:
    """Change the name alone."""
    key = _key(bench, expireAt="2099-01-01T00:00:00.000Z", ipAccessList=[{"source": "192.0.2.1"}])
    after = _changed(bench, key, {"name": bench.name("Renamed")})
    lost = [name for name in ("state", "roles", "expireAt", "ipAccessList") if key.get(name) != after.get(name)]
    return holds_if(not lost, f"an update of the name changes {', '.join(lost)}")


def empty_update_reads_a_key(bench: Bench) -> Outcome:
    """Send an update without fields."""
    key = _key(bench)
    return equal(_changed(bench, key, {}).get("name"), key["name"], "the name after an update without fields")


def key_names_its_roles(bench: Bench) -> Outcome:
    """Give a key a role by its id."""
    role = _role(bench)
    key = _key(bench)
    _changed(bench, key, {"assignedRoleIds": [role["id"]]})
    shown = bench.cloud("GET", f"/keys/{key['id']}").result.get("assignedRoles") or []
    return equal(
        [(each.get("roleId"), each.get("roleName")) for each in shown], [(role["id"], role["name"])], "its roles"
    )


def older_roles_replace_roles_by_id(bench: Bench) -> Outcome:
    """Give a key a role by its id, and then an older one by its name."""
    role = _role(bench)
    key = _key(bench)
    _changed(bench, key, {"assignedRoleIds": [role["id"]]})
    _changed(bench, key, {"roles": ["developer"]})
    shown = bench.cloud("GET", f"/keys/{key['id']}").result.get("assignedRoles") or []
    return holds_if(role["id"] not in [each.get("roleId") for each in shown], "the key keeps the role by id")


def key_knows_whether_it_was_used(bench: Bench) -> Outcome:
    """Use a key, and look at its record before and afterwards."""
    key, credentials = _usable(bench)
    used = _status_of(bench, 200, **credentials)
    after = _used(bench, key)
    return each_holds(
        holds_if(not key.get("usedAt"), "a new key has usedAt"), used, holds_if(after, "a used key has no usedAt")
    )


def _used(bench: Bench, key: Values) -> str:
    """Return when a key was used, within a minute."""
    record = bench.until(
        lambda: bench.cloud("GET", f"/keys/{key['id']}").result, lambda seen: seen.get("usedAt"), minutes=1.0
    )
    return str(record.get("usedAt") or "")


def last_use_is_known_to_the_minute(bench: Bench) -> Outcome:
    """Use a key, and look at the time."""
    key, credentials = _usable(bench)
    used = _status_of(bench, 200, **credentials)
    moment = _used(bench, key)
    return each_holds(used, holds_if(moment[17:19] == "00", f"usedAt is {moment}"))


def disabled_key_is_401(bench: Bench) -> Outcome:
    """Disable a key, and use it."""
    key, credentials = _usable(bench)
    _changed(bench, key, {"state": "disabled"})
    return _status_of(bench, 401, **credentials)


def empty_ip_list_allows_no_address(bench: Bench) -> Outcome:
    """Take away all addresses of a key, and use it."""
    key, credentials = _usable(bench)
    _changed(bench, key, {"ipAccessList": []})
    return _status_of(bench, 403, **credentials)


def developer_key_creates_no_keys(bench: Bench) -> Outcome:
    """Create a key with a key that has the role developer."""
    _, credentials = _usable(bench)
    path = bench.of_organization("/keys")
    reply = bench.send_as("POST", path, {"name": bench.name("Key"), "roles": ["developer"]}, **credentials)
    if reply.response.is_success:
        bench.will_delete(f"{path}/{reply.result['key']['id']}")
    return holds_if(reply.refused(403), reply.words)


# -- roles ------------------------------------------------------------------------------------------------------------


def _policy(*permissions: str) -> Values:
    return {"allowDeny": "ALLOW", "permissions": [*permissions], "resources": ["instance/*"]}


def _role(bench: Bench, *permissions: str) -> Values:
    policies = [_policy(*permissions or ("control-plane:service:view",))]
    return bench.make_cloud("/roles", {"name": bench.name("Role"), "actors": [], "policies": policies})


def policies_get_new_ids(bench: Bench) -> Outcome:
    """Update a role with its policies."""
    role = _role(bench)
    after = bench.cloud("PATCH", f"/roles/{role['id']}", {"policies": [_policy("control-plane:service:view")]}).result
    kept = {each.get("id") for each in role["policies"]} & {each.get("id") for each in after["policies"]}
    return holds_if(not kept, "a policy keeps its id")


def policies_gain_permissions(bench: Bench) -> Outcome:
    """Create a role that may manage services."""
    found = _role(bench, "control-plane:service:manage")["policies"][0]["permissions"]
    expected = {"control-plane:service:manage", "control-plane:service:delete"}
    return holds_if(expected <= {*found}, f"the permissions are {found}")


def role_needs_actors(bench: Bench) -> Outcome:
    """Create a role without actors."""
    body = {"name": bench.name("Role"), "policies": [_policy("control-plane:service:view")]}
    reply = bench.cloud("POST", "/roles", body)
    if reply.response.is_success:
        bench.will_delete(bench.of_organization(f"/roles/{reply.result['id']}"))
    return holds_if(reply.refused(), reply.words)


def role_lists_its_keys(bench: Bench) -> Outcome:
    """Give a key a role, and read the role."""
    role = _role(bench)
    key = _key(bench)
    _changed(bench, key, {"assignedRoleIds": [role["id"]]})
    actors = bench.cloud("GET", f"/roles/{role['id']}").result["actors"]
    return equal(actors, [f"apiKey/{key['id']}"], "the actors")


def role_update_keeps_what_it_omits(bench: Bench) -> Outcome:
    """Change the name alone."""
    role = _role(bench)
    after = bench.cloud("PATCH", f"/roles/{role['id']}", {"name": bench.name("Renamed")}).result
    found = [each["permissions"] for each in after["policies"]]
    return equal(
        found, [each["permissions"] for each in role["policies"]], "the permissions after a change of the name"
    )


# -- the organization -------------------------------------------------------------------------------------------------


def organization_lists_its_parts(bench: Bench) -> Outcome:
    """Look for infrastructures and private endpoints in the organization."""
    record = bench.cloud("GET", "").result
    lacking = [name for name in ("byocConfig", "privateEndpoints") if not isinstance(record.get(name), list)]
    return holds_if(not lacking, f"the organization has no list {', '.join(lacking)}")


def key_names_its_organization(bench: Bench) -> Outcome:
    """Read the owner of the key of the run."""
    reply = bench.send("GET", "/v1/whoami")
    if reply.is_unknown:
        return holds_if(True, "")
    return equal(reply.result.get("organizationId"), bench.account.organization_id, "the organization of the key")


def notification_types_are_listed(bench: Bench) -> Outcome:
    """List the types of notifications."""
    reply = bench.cloud("GET", "/notificationTypes")
    if not reply.response.is_success:
        return holds_if(reply.is_unknown, reply.words)
    lacking = [name for name in ("name", "title", "severity") if not all(each.get(name) for each in reply.result)]
    return holds_if(not lacking, f"a type has no {', '.join(lacking)}")


def prometheus_targets_have_no_envelope(bench: Bench) -> Outcome:
    """Read the targets."""
    reply = bench.cloud("GET", "/prometheus/discovery")
    return holds_if(isinstance(reply.body, list), reply.words)


def usage_covers_a_month_at_most(bench: Bench) -> Outcome:
    """Request the usage of 31 days, and of 40."""
    replies = []
    for days in (30, 40):
        first = date.today() - timedelta(days=days + 1)
        replies.append(bench.cloud("GET", f"/usageCost?from_date={first}&to_date={first + timedelta(days=days)}"))
    month, more = replies
    return each_holds(holds_if(month.response.is_success, month.words), holds_if(more.refused(), more.words))


def quotas_have_codes(bench: Bench) -> Outcome:
    """List the quotas, and read one by its code."""
    codes = [each.get("quotaCode") for each in bench.cloud("GET", "/quotas").result]
    expected = "services-per-organization"
    reply = bench.cloud("GET", f"/quotas/{expected}")
    return each_holds(
        holds_if(expected in codes, f"the codes are {codes}"), holds_if(reply.response.is_success, reply.words)
    )


def members_report_when_they_joined(bench: Bench) -> Outcome:
    """List the members."""
    members = bench.cloud("GET", "/members").result
    lacking = [name for name in ("userId", "email", "joinedAt") if not all(each.get(name) for each in members)]
    return holds_if(members and not lacking, f"a member has no {', '.join(lacking)}")


def invitations_expire(bench: Bench) -> Outcome:
    """Invite an address of the needs, with capital letters."""
    address = bench.invited()
    if address is None:
        return NotProbed("the needs name no address to `invite`")
    made = bench.make_cloud("/invitations", {"email": address, "role": "developer"})
    return each_holds(
        equal(made.get("email"), address.lower(), "the address"),
        holds_if(made.get("expireAt"), "an invitation has no expiry"),
    )


def functions_are_listed_with_a_cursor(bench: Bench) -> Outcome:
    """List the functions."""
    body = bench.cloud("GET", "/udfs").body
    result = body.get("result")
    records, holder = (result.get("items"), result.get("pagination")) if isinstance(result, dict) else (result, body)
    return holds_if(isinstance(records, list) and "nextCursor" in (holder or {}), f"the list is {sorted(body)}")


def uploads_have_an_address(bench: Bench) -> Outcome:
    """Ask for an upload, which creates nothing else."""
    reply = bench.cloud("POST", "/udfUploads/url")
    return each_holds(
        equal(reply.status, 201, "the status"),
        holds_if({"uploadId", "uploadUrl"} <= {*reply.result}, f"the response has {sorted(reply.result)}"),
    )
