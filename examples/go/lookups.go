package main

import (
	"fmt"
	"regexp"

	"github.com/clouddb/pulumi-clouddb/sdk/go/clouddb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// A name costs one request in each run. An id costs none: configure ids when the stack exists.
var (
	uuid     = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	objectID = regexp.MustCompile(`(?i)^[0-9a-f]{24}$`)
)

// pipeID returns the id of a pipe of the service; pipe is its name or its id.
func pipeID(ctx *pulumi.Context, service *clouddb.Service, pipe string) pulumi.StringInput {
	if uuid.MatchString(pipe) {
		return pulumi.String(pipe)
	}
	found := clouddb.ListPipesOutput(ctx, clouddb.ListPipesOutputArgs{
		ServiceId: service.ID(),
		Name:      pulumi.String(pipe),
	})
	return found.Pipes().ApplyT(func(pipes []clouddb.PipeResponse) (string, error) {
		ids := make([]string, len(pipes))
		for i, each := range pipes {
			ids[i] = *each.Id
		}
		return only(fmt.Sprintf("pipe named '%s'", pipe), "pipe", ids)
	}).(pulumi.StringOutput)
}

// sourceID returns the id of a data source of the service; source is its name or its id.
func sourceID(ctx *pulumi.Context, service *clouddb.Service, source string) pulumi.StringInput {
	if objectID.MatchString(source) {
		return pulumi.String(source)
	}
	found := clouddb.ListSourcesOutput(ctx, clouddb.ListSourcesOutputArgs{
		ServiceId: service.ID(),
		Name:      pulumi.String(source),
	})
	return found.Sources().ApplyT(func(sources []clouddb.SourceResponse) (string, error) {
		ids := make([]string, len(sources))
		for i, each := range sources {
			ids[i] = *each.Id
		}
		return only(fmt.Sprintf("data source named '%s'", source), "source", ids)
	}).(pulumi.StringOutput)
}

func only(what, key string, ids []string) (string, error) {
	if len(ids) == 1 {
		return ids[0], nil
	}
	count := "no"
	if len(ids) > 1 {
		count = fmt.Sprintf("%d times a", len(ids))
	}
	return "", fmt.Errorf("the service has %s %s: create one in the console, or choose another with "+
		"`pulumi config set %s`, then run again; existing objects stay", count, what, key)
}
