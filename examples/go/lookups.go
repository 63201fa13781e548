package main

import (
	"fmt"
	"regexp"

	"example.com/pulumi-clouddb/sdk/go/clouddb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// A name costs one request in each run. An id costs none: configure the id when the stack exists.
var uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

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
		return only(pipe, ids)
	}).(pulumi.StringOutput)
}

func only(pipe string, ids []string) (string, error) {
	if len(ids) == 1 {
		return ids[0], nil
	}
	count := "no pipe"
	if len(ids) > 1 {
		count = fmt.Sprintf("%d pipes", len(ids))
	}
	return "", fmt.Errorf("the service has %s named '%s': create one in the console, or choose another with "+
		"`pulumi config set pipe`, then run again; existing objects stay", count, pipe)
}
