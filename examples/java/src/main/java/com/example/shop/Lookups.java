package com.example.shop;

import com.clouddb.pulumi.ClouddbFunctions;
import com.clouddb.pulumi.Service;
import com.clouddb.pulumi.inputs.ListPipesArgs;
import com.clouddb.pulumi.inputs.ListSourcesArgs;
import com.pulumi.core.Output;
import com.pulumi.exceptions.RunException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A name costs one request in each run. An id costs none: configure ids when the stack exists. */
final class Lookups {
    private static final Pattern UUID =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);
    private static final Pattern OBJECT_ID = Pattern.compile("[0-9a-f]{24}", Pattern.CASE_INSENSITIVE);

    private Lookups() {}

    /** Returns the id of a pipe of the service; {@code pipe} is its name or its id. */
    static Output<String> pipeId(Service service, String pipe) {
        if (UUID.matcher(pipe).matches()) {
            return Output.of(pipe);
        }
        var arguments = ListPipesArgs.builder().serviceId(service.id()).name(pipe).build();
        return ClouddbFunctions.listPipes(arguments).applyValue(found -> {
            var ids = found.pipes().stream().map(each -> each.id().orElseThrow()).collect(Collectors.toList());
            return only("pipe named '" + pipe + "'", "pipe", ids);
        });
    }

    /** Returns the id of a data source of the service; {@code source} is its name or its id. */
    static Output<String> sourceId(Service service, String source) {
        if (OBJECT_ID.matcher(source).matches()) {
            return Output.of(source);
        }
        var arguments = ListSourcesArgs.builder().serviceId(service.id()).name(source).build();
        return ClouddbFunctions.listSources(arguments).applyValue(found -> {
            var ids = found.sources().stream().map(each -> each.id().orElseThrow()).collect(Collectors.toList());
            return only("data source named '" + source + "'", "source", ids);
        });
    }

    private static String only(String what, String key, List<String> ids) {
        if (ids.size() == 1) {
            return ids.get(0);
        }
        var count = ids.isEmpty() ? "no" : ids.size() + " times a";
        throw new RunException(String.format(
                "the service has %s %s: create one in the console, or choose another with `pulumi config set %s`, "
                        + "then run again; existing objects stay",
                count, what, key));
    }
}
