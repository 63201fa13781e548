"""The pack that `pulumi preview --policy-pack` takes: the rules of pulumi-clouddb."""

from pulumi_clouddb.policy import start

start(profile="baseline")
