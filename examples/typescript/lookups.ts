// Find a pipe and a data source by name or by id.
//
// A name costs one request in each run. An id costs none: configure ids when the stack exists.

import * as clouddb from "@clouddb/pulumi";
import * as pulumi from "@pulumi/pulumi";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OBJECT_ID = /^[0-9a-f]{24}$/i;

/** Returns the id of a pipe of the service; `pipe` is its name or its id. */
export function pipeId(service: clouddb.Service, pipe: string): pulumi.Input<string> {
    if (UUID.test(pipe)) {
        return pipe;
    }
    const found = clouddb.listPipesOutput({ serviceId: service.id, name: pipe });
    return found.pipes.apply((pipes) => only(`pipe named '${pipe}'`, "pipe", pipes));
}

/** Returns the id of a data source of the service; `source` is its name or its id. */
export function sourceId(service: clouddb.Service, source: string): pulumi.Input<string> {
    if (OBJECT_ID.test(source)) {
        return source;
    }
    const found = clouddb.listSourcesOutput({ serviceId: service.id, name: source });
    return found.sources.apply((sources) => only(`data source named '${source}'`, "source", sources));
}

function only(what: string, key: string, found: { id?: string }[]): string {
    if (found.length === 1 && found[0].id) {
        return found[0].id;
    }
    const count = found.length ? `${found.length} times a` : "no";
    throw new pulumi.RunError(
        `The service has ${count} ${what}. Create one in the console, or choose another with ` +
            `\`pulumi config set ${key}\`, then run again. Existing objects stay.`,
    );
}
