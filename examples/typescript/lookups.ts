// Find a pipe by name or by id.
//
// A name costs one request in each run. An id costs none: configure the id when the stack exists.

import * as clouddb from "@clouddb/pulumi";
import * as pulumi from "@pulumi/pulumi";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the id of a pipe of the service; `pipe` is its name or its id. */
export function pipeId(service: clouddb.Service, pipe: string): pulumi.Input<string> {
    if (UUID.test(pipe)) {
        return pipe;
    }
    const found = clouddb.listPipesOutput({ serviceId: service.id, name: pipe });
    return found.pipes.apply((pipes) => only(pipe, pipes));
}

function only(pipe: string, found: { id?: string }[]): string {
    if (found.length === 1 && found[0].id) {
        return found[0].id;
    }
    const count = found.length ? `${found.length} pipes` : "no pipe";
    throw new pulumi.RunError(
        `The service has ${count} named '${pipe}'. Create one in the console, or choose another with ` +
            "`pulumi config set pipe`, then run again. Existing objects stay.",
    );
}
