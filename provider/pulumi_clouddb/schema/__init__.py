"""The interface: every field with its type, limit, default, documentation and secrecy, written once.

Nothing here knows HTTP, Pulumi or state. Its modules, by what they are for:

- Declaring a thing: `thing` has the roles of fields and the projections, `base` has `prop` and the types of fields,
  `choice` enums, `equality` comparisons, `additions` what servers add, `defaults` those of servers, `vendor`
  declarations for the vendor's servers, and `resource_type` what makes a resource or a function of a thing.
- Fields and types that several things share: `common`, `invited`, `observability`, `organization`, `provisioned`,
  `tags`.
- Settings of the provider: `config`, and `vocabulary` for the dialect.
- Values: `values` has plain JSON and the sentinel for unknown values, `view` typed access to them, `convert` the way to
  models and back, `times` the spellings of times, `javascript` texts as the vendor's servers count and trim them, and
  `matching` pairs the elements of two lists.
- Checking values: the folder `check` turns limits and rules into failures and warnings. `json_types` finds wrong
  types, `usual` has types of values of which check warns in an unusual form, and `annotations` reads the types of
  fields.
- Beliefs about servers: `assumptions`.
- Messages: `names` suggests names, `public_names` translates those of `_public_names`, which are generated,
  `printable` escapes control characters, `secrets` hides secrets, and the generated `_permissions` has those that the
  vendor's operations need.
- The version: `_version`, which is generated from setup.py.
"""
