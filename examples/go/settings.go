package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

// Settings are the values that differ between stacks.
type Settings struct {
	maxMemoryGb, replicas int
	officeNetwork         string
	protect               bool
	pipe                  string // name or id
	source                string
	keyRotation           string
	webhookURL            string
}

func settingsOf(ctx *pulumi.Context) Settings {
	given := config.New(ctx, "")
	settings := Settings{
		maxMemoryGb: 64, replicas: 3, officeNetwork: "203.0.113.0/24", protect: given.GetBool("protect"),
		pipe: "events", source: "Logs", keyRotation: "first",
		webhookURL: "https://events.example.com/shop",
	}
	for name, number := range map[string]*int{"maxMemoryGb": &settings.maxMemoryGb, "replicas": &settings.replicas} {
		if given.Get(name) != "" {
			*number = given.RequireInt(name)
		}
	}
	for name, text := range map[string]*string{
		"officeNetwork": &settings.officeNetwork,
		"pipe":          &settings.pipe,
		"source":        &settings.source,
		"keyRotation":   &settings.keyRotation,
		"webhookUrl":    &settings.webhookURL,
	} {
		if value, err := given.Try(name); err == nil {
			*text = value
		}
	}
	return settings
}
