package com.example.shop;

import com.clouddb.pulumi.Alert;
import com.clouddb.pulumi.AlertArgs;
import com.clouddb.pulumi.ApiKey;
import com.clouddb.pulumi.ApiKeyArgs;
import com.clouddb.pulumi.ClouddbFunctions;
import com.clouddb.pulumi.Dashboard;
import com.clouddb.pulumi.DashboardArgs;
import com.clouddb.pulumi.PipeScaling;
import com.clouddb.pulumi.PipeScalingArgs;
import com.clouddb.pulumi.Service;
import com.clouddb.pulumi.ServiceArgs;
import com.clouddb.pulumi.Webhook;
import com.clouddb.pulumi.WebhookArgs;
import com.clouddb.pulumi.enums.AlertInterval;
import com.clouddb.pulumi.enums.CloudProvider;
import com.clouddb.pulumi.enums.KeyRole;
import com.clouddb.pulumi.enums.Region;
import com.clouddb.pulumi.enums.ReleaseChannel;
import com.clouddb.pulumi.enums.ThresholdType;
import com.clouddb.pulumi.inputs.AlertChannelArgs;
import com.clouddb.pulumi.inputs.GetSourceArgs;
import com.clouddb.pulumi.inputs.IpAccessEntryArgs;
import com.clouddb.pulumi.inputs.SelectItemArgs;
import com.clouddb.pulumi.inputs.TileArgs;
import com.clouddb.pulumi.inputs.TileConfigArgs;
import com.google.gson.Gson;
import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Either;
import com.pulumi.core.Output;
import java.util.List;

/**
 * The quickstart in Java, served by the native plugin.
 *
 * <p>The plugin needs an active environment with the Python package ({@code pip install '.[sandbox]'} in the
 * clone). Then, in the folder of Pulumi.yaml:
 *
 * <pre>
 * pulumi package add ../../schema.json    # once: writes the SDK to sdks/, which pom.xml compiles
 * pulumi stack init dev
 * pulumi config set clouddb:baseUrl http://127.0.0.1:8980    # and the other lines that `clouddb sandbox` printed
 * pulumi up
 * </pre>
 *
 * <p>Values that differ between stacks are configuration with defaults: {@code pulumi config set maxMemoryGb 96} sets
 * one value. docs/tour.md of the repository lists them.
 */
public final class App {
    private App() {}

    public static void main(String[] args) {
        Pulumi.run(App::shop);
    }

    private static void shop(Context ctx) {
        var settings = new Settings(ctx.config());

        // 1. The database. Only these addresses can reach it. Its memory scales with the load between the two sizes.
        //    A change of size, name or addresses is an update in place; a change that needs another database is
        //    refused.
        var service = new Service("shop", ServiceArgs.builder()
                .name("Shop production")
                .provider(CloudProvider.Aws)
                .region(Region.EuCentral1)
                .minReplicaMemoryGb(16)
                .maxReplicaMemoryGb(settings.maxMemoryGb)
                .numReplicas(settings.replicas)
                .idleScaling(false)
                .releaseChannel(ReleaseChannel.Slow)
                .ipAccessList(
                        address(settings.officeNetwork, "Office"),
                        address("198.51.100.7", "Shop server"))
                .deletionProtection(settings.protect)
                .build());

        // 2. The scaling of one of its pipes. The pipe exists already (`Pipe` creates one); `pulumi destroy` restores
        //    its previous scaling. A new service may have no pipe yet: set `pipe` to an empty text until there is one.
        if (!settings.pipe.isEmpty()) {
            var scaling = new PipeScaling("events", PipeScalingArgs.builder()
                    .serviceId(service.id())
                    .pipeId(Lookups.pipeId(service, settings.pipe))
                    .replicas(4)
                    .replicaCpuMillicores(500)
                    .replicaMemoryGb(2.0)
                    .build());
            ctx.export("pipeState", scaling.pipeState());
        }

        // 3. A key that works only from the report server, and expires. The server returns its secret once; state
        //    holds the secret encrypted. Another text in `keyRotation` creates a new key before the old one is deleted.
        var key = new ApiKey("reports", ApiKeyArgs.builder()
                .name("Shop reports")
                .roles(Either.ofRight(KeyRole.QueryEndpoints))
                .expireAt("2030-01-01T00:00:00Z")
                .ipAccessList(address("198.51.100.20", "Report server"))
                .rotation(settings.keyRotation)
                .build());

        // 4. A dashboard with three tiles. `key` identifies a tile, so it can be renamed and moved, and keeps its
        //    alerts. The service has the data source already (`Source` creates one); it is found by its name.
        var logs = ClouddbFunctions.getSource(
                GetSourceArgs.builder().serviceId(service.id()).name(settings.source).build());
        var dashboard = new Dashboard("overview", DashboardArgs.builder()
                .serviceId(service.id())
                .name("Shop overview")
                .tags("shop", "production")
                .tiles(tiles(logs.applyValue(found -> found.id())))
                .build());

        // 5. An alert on one of the tiles, and the webhook that it calls.
        var onCall = new Webhook("on-call", WebhookArgs.builder()
                .serviceId(service.id())
                .name("Shop on call")
                .service("generic")
                .url(settings.webhookUrl)
                .body("{{title}}: {{body}} {{link}}")
                .build());
        var alert = new Alert("too-many-errors", AlertArgs.builder()
                .serviceId(service.id())
                .dashboardId(dashboard.id())
                .tileId(dashboard.tileIds().applyValue(ids -> ids.get("errors")))
                .name("Too many errors in the shop")
                .message("More than 100 errors in five minutes.")
                .threshold(100.0)
                .thresholdType(ThresholdType.Above)
                .interval(AlertInterval.FiveMinutes)
                .channel(AlertChannelArgs.builder()
                        .type("webhook")
                        .webhookId(onCall.id())
                        .build())
                .build());

        // As JSON: Pulumi's SDK for Java cannot export objects of generated classes.
        ctx.export("endpoints", service.endpoints().applyValue(all -> new Gson().toJsonTree(all.orElse(List.of()))));
        ctx.export("password", service.password());
        ctx.export("reportsKeyId", key.accessKeyId());
        ctx.export("reportsKeySecret", key.keySecret());
        ctx.export("dashboardId", dashboard.id());
        ctx.export("alertState", alert.state());
    }

    private static IpAccessEntryArgs address(String source, String description) {
        return IpAccessEntryArgs.builder().source(source).description(description).build();
    }

    private static List<TileArgs> tiles(Output<String> logs) {
        return List.of(
                TileArgs.builder()
                        .key("requests")
                        .name("Requests")
                        .config(TileConfigArgs.builder()
                                .displayType("line")
                                .sourceId(logs)
                                .select(List.of(SelectItemArgs.builder().aggFn("count").build()))
                                .groupBy("ServiceName")
                                .build())
                        .build(),
                TileArgs.builder()
                        .key("errors")
                        .name("Errors")
                        .config(TileConfigArgs.builder()
                                .displayType("line")
                                .sourceId(logs)
                                .select(List.of(SelectItemArgs.builder()
                                        .aggFn("count")
                                        .where("SeverityText:error")
                                        .whereLanguage("lucene")
                                        .build()))
                                .build())
                        .build(),
                TileArgs.builder()
                        .key("severity")
                        .name("Highest severity")
                        .config(TileConfigArgs.builder()
                                .displayType("table")
                                .sourceId(logs)
                                .select(List.of(SelectItemArgs.builder()
                                        .aggFn("max")
                                        .valueExpression("SeverityNumber")
                                        .build()))
                                .groupBy("ServiceName")
                                .build())
                        .build());
    }
}
