// The quickstart in Go, served by the native plugin.
//
// The plugin needs an active environment with the Python package (`pip install '.[sandbox]'` in the clone).
// Then, here:
//
//	pulumi package add ../../schema.json    # once: writes the SDK to sdks/
//	pulumi stack init dev
//	pulumi config set clouddb:baseUrl http://127.0.0.1:8980    # and the other lines that `clouddb sandbox` printed
//	pulumi up
//
// Values that differ between stacks are configuration with defaults: `pulumi config set maxMemoryGb 96` sets one value.
// docs/tour.md of the repository lists them.
package main

import (
	"example.com/pulumi-clouddb/sdk/go/clouddb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() { pulumi.Run(shop) }

func shop(ctx *pulumi.Context) error {
	settings := settingsOf(ctx)

	// 1. The database. Only these addresses can reach it. Its memory scales with the load between the two sizes. A
	//    change of size, name or addresses is an update in place; a change that needs another database is refused.
	service, err := clouddb.NewService(ctx, "shop", &clouddb.ServiceArgs{
		Name:               pulumi.String("Shop production"),
		Provider:           clouddb.CloudProviderAws,
		Region:             clouddb.RegionEuCentral1,
		MinReplicaMemoryGb: pulumi.Int(16),
		MaxReplicaMemoryGb: pulumi.Int(settings.maxMemoryGb),
		NumReplicas:        pulumi.Int(settings.replicas),
		IdleScaling:        pulumi.Bool(false),
		ReleaseChannel:     clouddb.ReleaseChannelSlow,
		IpAccessList: clouddb.IpAccessEntryArray{
			clouddb.IpAccessEntryArgs{
				Source:      pulumi.String(settings.officeNetwork),
				Description: pulumi.String("Office"),
			},
			clouddb.IpAccessEntryArgs{
				Source:      pulumi.String("198.51.100.7"),
				Description: pulumi.String("Shop server"),
			},
		},
		DeletionProtection: pulumi.Bool(settings.protect),
	})
	if err != nil {
		return err
	}

	// 2. The scaling of one of its pipes. The pipe exists already (`Pipe` creates one); `pulumi destroy` restores its
	//    previous scaling. A new service may have no pipe yet: set `pipe` to an empty text until there is one.
	if settings.pipe != "" {
		scaling, err := clouddb.NewPipeScaling(ctx, "events", &clouddb.PipeScalingArgs{
			ServiceId:            service.ID(),
			PipeId:               pipeID(ctx, service, settings.pipe),
			Replicas:             pulumi.Int(4),
			ReplicaCpuMillicores: pulumi.Int(500),
			ReplicaMemoryGb:      pulumi.Float64(2),
		})
		if err != nil {
			return err
		}
		ctx.Export("pipeState", scaling.PipeState)
	}

	// 3. A key that works only from the report server, and expires. The server returns its secret once; state holds
	//    the secret encrypted. Another text in `keyRotation` creates a new key before the old one is deleted.
	key, err := clouddb.NewApiKey(ctx, "reports", &clouddb.ApiKeyArgs{
		Name:     pulumi.String("Shop reports"),
		Roles:    pulumi.StringArray{clouddb.KeyRoleQueryEndpoints},
		ExpireAt: pulumi.String("2030-01-01T00:00:00Z"),
		IpAccessList: clouddb.IpAccessEntryArray{
			clouddb.IpAccessEntryArgs{
				Source:      pulumi.String("198.51.100.20"),
				Description: pulumi.String("Report server"),
			},
		},
		Rotation: pulumi.String(settings.keyRotation),
	})
	if err != nil {
		return err
	}

	// 4. A dashboard with three tiles. `Key` identifies a tile, so it can be renamed and moved, and keeps its alerts.
	//    The service has the data source already (`Source` creates one); it is found by its name.
	logs := clouddb.LookupSourceOutput(ctx, clouddb.LookupSourceOutputArgs{
		ServiceId: service.ID(),
		Name:      pulumi.String(settings.source),
	})
	dashboard, err := clouddb.NewDashboard(ctx, "overview", &clouddb.DashboardArgs{
		ServiceId: service.ID(),
		Name:      pulumi.String("Shop overview"),
		Tags:      pulumi.ToStringArray([]string{"shop", "production"}),
		Tiles:     tiles(logs.Id()),
	})
	if err != nil {
		return err
	}

	// 5. An alert on one of the tiles, and the webhook that it calls.
	onCall, err := clouddb.NewWebhook(ctx, "on-call", &clouddb.WebhookArgs{
		ServiceId: service.ID(),
		Name:      pulumi.String("Shop on call"),
		Service:   pulumi.String("generic"),
		Url:       pulumi.String(settings.webhookURL),
		Body:      pulumi.String("{{title}}: {{body}} {{link}}"),
	})
	if err != nil {
		return err
	}
	alert, err := clouddb.NewAlert(ctx, "too-many-errors", &clouddb.AlertArgs{
		ServiceId:     service.ID(),
		DashboardId:   dashboard.ID(),
		TileId:        dashboard.TileIds.MapIndex(pulumi.String("errors")),
		Name:          pulumi.String("Too many errors in the shop"),
		Message:       pulumi.String("More than 100 errors in five minutes."),
		Threshold:     pulumi.Float64(100),
		ThresholdType: clouddb.ThresholdTypeAbove,
		Interval:      clouddb.AlertIntervalFiveMinutes,
		Channel: clouddb.AlertChannelArgs{
			Type:      clouddb.ChannelTypeWebhook,
			WebhookId: onCall.ID(),
		},
	})
	if err != nil {
		return err
	}

	ctx.Export("endpoints", service.Endpoints)
	ctx.Export("password", service.Password)
	ctx.Export("reportsKeyId", key.AccessKeyId)
	ctx.Export("reportsKeySecret", key.KeySecret)
	ctx.Export("dashboardId", dashboard.ID())
	ctx.Export("alertState", alert.State)
	return nil
}

func tiles(logs pulumi.StringPtrInput) clouddb.TileArray {
	return clouddb.TileArray{
		clouddb.TileArgs{
			Key:  pulumi.String("requests"),
			Name: pulumi.String("Requests"),
			Config: clouddb.TileConfigArgs{
				DisplayType: pulumi.String("line"),
				SourceId:    logs,
				Select:      clouddb.SelectItemArray{clouddb.SelectItemArgs{AggFn: pulumi.String("count")}},
				GroupBy:     pulumi.String("ServiceName"),
			},
		},
		clouddb.TileArgs{
			Key:  pulumi.String("errors"),
			Name: pulumi.String("Errors"),
			Config: clouddb.TileConfigArgs{
				DisplayType: pulumi.String("line"),
				SourceId:    logs,
				Select: clouddb.SelectItemArray{clouddb.SelectItemArgs{
					AggFn:         pulumi.String("count"),
					Where:         pulumi.String("SeverityText:error"),
					WhereLanguage: pulumi.String("lucene"),
				}},
			},
		},
		clouddb.TileArgs{
			Key:  pulumi.String("severity"),
			Name: pulumi.String("Highest severity"),
			Config: clouddb.TileConfigArgs{
				DisplayType: pulumi.String("table"),
				SourceId:    logs,
				Select: clouddb.SelectItemArray{clouddb.SelectItemArgs{
					AggFn:           pulumi.String("max"),
					ValueExpression: pulumi.String("SeverityNumber"),
				}},
				GroupBy: pulumi.String("ServiceName"),
			},
		},
	}
}
