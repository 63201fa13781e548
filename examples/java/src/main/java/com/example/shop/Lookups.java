package com.example.shop;

import com.clouddb.pulumi.ClouddbFunctions;
import com.clouddb.pulumi.Service;
import com.clouddb.pulumi.inputs.ListPipesArgs;
import com.pulumi.core.Output;
import com.pulumi.exceptions.RunException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A name costs one request in each run. An id costs none: configure the id when the stack exists. */
final class Lookups {
    private static final Pattern UUID =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);

    private Lookups() {}

    /** Returns the id of a pipe of the service; {@code pipe} is its name or its id. */
    static Output<String> pipeId(Service service, String pipe) {
        if (UUID.matcher(pipe).matches()) {
            return Output.of(pipe);
        }
        var arguments = ListPipesArgs.builder().serviceId(service.id()).name(pipe).build();
        return ClouddbFunctions.listPipes(arguments).applyValue(found -> {
            var ids = found.pipes().stream().map(each -> each.id().orElseThrow()).collect(Collectors.toList());
            return only(pipe, ids);
        });
    }

    private static String only(String pipe, List<String> ids) {
        if (ids.size() == 1) {
            return ids.get(0);
        }
        var count = ids.isEmpty() ? "no pipe" : ids.size() + " pipes";
        throw new RunException(String.format(
                "the service has %s named '%s': create one in the console, or choose another with "
                        + "`pulumi config set pipe`, then run again; existing objects stay",
                count, pipe));
    }
}
