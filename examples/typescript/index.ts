// The quickstart in TypeScript, served by the native plugin.
//
// The plugin needs an active environment with the Python package (`pip install '.[sandbox]'` in the clone).
// Then, here:
//
//     pulumi package add ../../schema.json    # once: writes the SDK to sdks/ and installs it
//     pulumi stack init dev
//     pulumi config set clouddb:baseUrl http://127.0.0.1:8980    # and the other lines that `clouddb sandbox` printed
//     pulumi up
//
// Values that differ between stacks are configuration with defaults: `pulumi config set maxMemoryGb 96` sets one value.
// docs/tour.md of the repository lists them.

import * as clouddb from "@clouddb/pulumi";
import * as pulumi from "@pulumi/pulumi";

import { pipeId } from "./lookups";

const config = new pulumi.Config();

// 1. The database. Only these addresses can reach it. Its memory scales with the load between the two sizes. A change
//    of size, name or addresses is an update in place; a change that needs another database is refused.
const service = new clouddb.Service("shop", {
    name: "Shop production",
    provider: "aws",
    region: "eu-central-1",
    minReplicaMemoryGb: 16,
    maxReplicaMemoryGb: config.getNumber("maxMemoryGb") ?? 64,
    numReplicas: config.getNumber("replicas") ?? 3,
    idleScaling: false,
    releaseChannel: "slow",
    ipAccessList: [
        { source: config.get("officeNetwork") ?? "203.0.113.0/24", description: "Office" },
        { source: "198.51.100.7", description: "Shop server" },
    ],
    deletionProtection: config.getBoolean("protect") ?? false,
});

// 2. The scaling of one of its pipes. The pipe exists already (`Pipe` creates one); `pulumi destroy` restores its
//    previous scaling. A new service may have no pipe yet: set `pipe` to an empty text until there is one.
const pipe = config.get("pipe") ?? "events";
const scaling = pipe
    ? new clouddb.PipeScaling("events", {
          serviceId: service.id,
          pipeId: pipeId(service, pipe),
          replicas: 4,
          replicaCpuMillicores: 500,
          replicaMemoryGb: 2,
      })
    : undefined;

// 3. A key that works only from the report server, and expires. The server returns its secret once; state holds the
//    secret encrypted. Another text in `keyRotation` creates a new key before the old one is deleted.
const key = new clouddb.ApiKey("reports", {
    name: "Shop reports",
    roles: ["query_endpoints"],
    expireAt: "2030-01-01T00:00:00Z",
    ipAccessList: [{ source: "198.51.100.20", description: "Report server" }],
    rotation: config.get("keyRotation") ?? "first",
});

// 4. A dashboard with three tiles. `key` identifies a tile, so it can be renamed and moved, and keeps its alerts. The
//    service has the data source already (`Source` creates one); it is found by its name.
const logs = clouddb.getSourceOutput({ serviceId: service.id, name: config.get("source") ?? "Logs" });
const dashboard = new clouddb.Dashboard("overview", {
    serviceId: service.id,
    name: "Shop overview",
    tags: ["shop", "production"],
    tiles: [
        {
            key: "requests",
            name: "Requests",
            config: {
                displayType: "line",
                sourceId: logs.id,
                select: [{ aggFn: "count" }],
                groupBy: "ServiceName",
            },
        },
        {
            key: "errors",
            name: "Errors",
            config: {
                displayType: "line",
                sourceId: logs.id,
                select: [{ aggFn: "count", where: "SeverityText:error", whereLanguage: "lucene" }],
            },
        },
        {
            key: "severity",
            name: "Highest severity",
            config: {
                displayType: "table",
                sourceId: logs.id,
                select: [{ aggFn: "max", valueExpression: "SeverityNumber" }],
                groupBy: "ServiceName",
            },
        },
    ],
});

// 5. An alert on one of the tiles, and the webhook that it calls.
const onCall = new clouddb.Webhook("on-call", {
    serviceId: service.id,
    name: "Shop on call",
    service: "generic",
    url: config.get("webhookUrl") ?? "https://events.example.com/shop",
    body: "{{title}}: {{body}} {{link}}",
});
const alert = new clouddb.Alert("too-many-errors", {
    serviceId: service.id,
    dashboardId: dashboard.id,
    tileId: dashboard.tileIds["errors"],
    name: "Too many errors in the shop",
    message: "More than 100 errors in five minutes.",
    threshold: 100,
    thresholdType: "above",
    interval: "5m",
    channel: { type: "webhook", webhookId: onCall.id },
});

export const pipeState = scaling?.pipeState;
export const endpoints = service.endpoints;
export const password = service.password;
export const reportsKeyId = key.accessKeyId;
export const reportsKeySecret = key.keySecret;
export const dashboardId = dashboard.id;
export const alertState = alert.state;
