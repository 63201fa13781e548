"""Doubts about pipes and what they use: valid inputs, the same with a mistake, and the warning about it."""

from __future__ import annotations

from typing import Any

from support.rows import THERE, UUID, Row, from_one_to_other

Values = dict[str, Any]
KAFKA: Values = {"type": "kafka", "format": "JSONEachRow", "brokers": "b1.example.com:9092", "topics": "clicks"}
MSK: Values = {**KAFKA, "type": "msk", "authentication": "IAM_ROLE", "iamRole": "arn:aws:iam::123456789012:role/reader"}
EVENT_HUB: Values = {**KAFKA, "type": "azureeventhub"}
FILES: Values = {"type": "s3", "format": "JSONEachRow", "url": "https://shop.s3.us-east-1.amazonaws.com/clicks/*"}
QUEUED: Values = {
    **FILES,
    "authentication": "IAM_USER",
    "isContinuous": True,
    "queueUrl": "https://sqs.us-east-1.amazonaws.com/123456789012/files",
}
AZURE: Values = {"type": "azureblobstorage", "format": "CSV", "azureContainerName": "c", "path": "clicks/*"}
KINESIS: Values = {"format": "JSONEachRow", "streamName": "clicks", "region": "us-east-1"}
PUBSUB: Values = {
    "format": "Avro",
    "projectId": "shop-1234",
    "topic": "t",
    "authentication": "SERVICE_ACCOUNT",
    "seekType": "latest",
}
BIGQUERY: Values = {
    "projectId": "shop-1234",
    "snapshotStagingPath": "gs://staging/",
    "settings": {"replicationMode": "snapshot"},
    "tableMappings": [{"sourceDatasetName": "shop", "sourceTable": "t", "targetTable": "t"}],
}
MAPPING: Values = {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}
POSTGRES: Values = {"host": "db.example.com", "port": 5432, "database": "shop", "tableMappings": [MAPPING]}
MYSQL: Values = {
    "host": "db.example.com",
    "port": 3306,
    "settings": {"replicationMode": "cdc"},
    "tableMappings": [MAPPING],
}
MONGODB: Values = {
    "uri": "mongodb+srv://db.example.com",
    "readPreference": "primary",
    "settings": {"replicationMode": "cdc"},
    "tableMappings": [{"sourceDatabaseName": "d", "sourceCollection": "c", "targetTable": "c"}],
}
OF_TABLE: Values = {
    "database": "shop",
    "table": "clicks",
    "managedTable": True,
    "columns": [
        {"name": "id", "type": "UInt64"},
        {"name": "at", "type": "DateTime64(3)"},
        {"name": "user", "type": "Nullable(String)"},
        {"name": "page", "type": "text"},
    ],
}
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
A_KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"
REGISTRY = {"url": "https://registry.example.com", "authentication": "PLAIN"}
GLUE = {"type": "glue", "glueRegion": "us-east-1", "glueRegistryName": "r"}
ENDPOINT = {
    "serviceId": UUID,
    "description": "Shop",
    "type": "VPC_ENDPOINT_SERVICE",
    "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1",
}
RESOURCE = {
    "serviceId": UUID,
    "description": "Shop",
    "type": "VPC_RESOURCE",
    "vpcResourceConfigurationId": "rcfg-1",
    "vpcResourceShareArn": "arn:aws:ram:us-east-1:123456789012:resource-share/1",
}
CLUSTER = {
    "serviceId": UUID,
    "description": "Shop",
    "type": "MSK_MULTI_VPC",
    "mskClusterArn": "arn:aws:kafka:us-east-1:123456789012:cluster/shop/1",
    "mskAuthentication": "SASL_IAM",
}
ATTACHMENT = {
    "serviceId": UUID,
    "description": "Shop",
    "type": "GCP_PSC_SERVICE_ATTACHMENT",
    "gcpServiceAttachment": "projects/shop/regions/us-east1/serviceAttachments/db",
}
SSH_KEY = {"serviceId": UUID, "name": "Bastion", "host": "bastion.example.com", "username": "reader"}
PEM = "should be the whole text of certificates in PEM, with its lines"
ROLE = "should be the ARN of a role, such as arn:aws:iam::123456789012:role/NAME"
USER = "arn:aws:iam::123456789012:user/reader"
FEW = "should have few partitions"
OUTSIDE = "should be an address that is known outside of its machine or cluster"
PRIMARY = "should be that of the primary server: no changes pass poolers, proxies and readers"
FILES_AT = "as `https://BUCKET.s3.REGION.amazonaws.com/PATH/*`"
TYPE = "should be a type of ClickHouse, whose case is significant"


def pipe(kind: str, source: Values, **more: Any) -> Values:
    """Return a pipe."""
    place = {"database": "shop"} if "tableMappings" in source else OF_TABLE
    return {"serviceId": UUID, "name": "P", "source": {kind: source}, "destination": place, **more}


def doubted(resource: str, valid: Values, wrong: Values, warning: str) -> Row:
    """Return a row of which check warns."""
    return Row(resource, valid, from_one_to_other(valid, wrong), warned=(warning,), config=THERE)


def of(kind: str, source: Values, wrong: Values, warning: str, **right: Any) -> Row:
    """Return a row about a source."""
    return doubted("Pipe", pipe(kind, {**source, **right}), pipe(kind, {**source, **wrong}), f"source.{kind}.{warning}")


def into(wrong: Values, warning: str, **right: Any) -> Row:
    """Return a row about the definition of a table."""
    places = ({**OF_TABLE, "tableDefinition": {"sortingKey": ["id", "at"], **each}} for each in (right, wrong))
    valid, invalid = (pipe("kafka", KAFKA, destination=place) for place in places)
    return doubted("Pipe", valid, invalid, f"destination.{warning}")


def column(wrong: str, right: str, warning: str) -> Row:
    """Return a row about the type of a column."""
    places = ({**OF_TABLE, "columns": [{"name": "id", "type": each}]} for each in (right, wrong))
    valid, invalid = (pipe("kafka", KAFKA, destination=place) for place in places)
    return doubted("Pipe", valid, invalid, f"destination.columns[0].type {TYPE}, not {wrong!r}{warning}")


def with_(source: Values, kind: str, name: str, right: Any, wrong: Any, warning: str) -> Row:
    """Return a row about a property of a pipe beside its source."""
    return doubted("Pipe", pipe(kind, source, **{name: right}), pipe(kind, source, **{name: wrong}), f"{name}{warning}")


DOUBTS: tuple[Row, ...] = (
    # streams
    of(
        "kafka",
        KAFKA,
        {"brokers": "b1.example.com:2181"},
        "brokers should be addresses of brokers, such as with the port 9092, and not of ZooKeeper",
    ),
    of("kafka", KAFKA, {"brokers": "localhost:9092"}, f"brokers {OUTSIDE}"),
    of("kafka", KAFKA, {"brokers": "kafka.shop.svc.cluster.local:9092"}, f"brokers {OUTSIDE}"),
    of("kafka", {**KAFKA, "brokers": "localhost:9092"}, {}, f"brokers {OUTSIDE}", sshKeyResourceId=UUID),
    of(
        "kafka",
        KAFKA,
        {"topics": "clicks-.*"},
        "topics should be names of topics, without wildcards, separated by commas, not 'clicks-.*'",
        topics="clicks-eu, clicks.us",
    ),
    of(
        "kafka",
        {**KAFKA, "schemaRegistry": REGISTRY},
        {"format": "Avro"},
        "format of Avro should be AvroConfluent with schemaRegistry, and Avro without",
        format="AvroConfluent",
    ),
    of(
        "kafka",
        {**KAFKA, "format": "AvroConfluent"},
        {},
        "format of Avro should be AvroConfluent with schemaRegistry, and Avro without",
        schemaRegistry=REGISTRY,
    ),
    of(
        "kinesis",
        {**KINESIS, "schemaRegistry": GLUE, "format": "AvroConfluent"},
        {"format": "Avro"},
        "format of Avro should be AvroConfluent with schemaRegistry",
    ),
    of(
        "kafka",
        KAFKA,
        {"offset": {"timestamp": "1790000000123"}},
        "offset.timestamp should be a date-time such as 2027-01-31T08:00, not '1790000000123'; "
        "did you mean 2026-09-21T14:13?",
        offset={"timestamp": "2026-09-21T14:13"},
    ),
    of(
        "kafka",
        KAFKA,
        {"offset": {"strategy": "from_latest", "timestamp": "2026-09-21T14:13"}},
        "offset.timestamp should be given to start `from_timestamp`, and only then",
        offset={"strategy": "from_timestamp", "timestamp": "2026-09-21T14:13"},
    ),
    of(
        "kafka",
        KAFKA,
        {"offset": {"strategy": "earliest"}},
        "offset.strategy is 'earliest', which this version does not know; known values are from_beginning, from_latest",
        offset={"strategy": "from_beginning"},
    ),
    of(
        "kinesis",
        {**KINESIS, "timestamp": 1790000000},
        {"iteratorType": "LATEST"},
        "timestamp should be given to start `AT_TIMESTAMP`, and only then",
        iteratorType="AT_TIMESTAMP",
    ),
    of(
        "kafka",
        KAFKA,
        {"reversePrivateEndpointIds": ["vpce-0a1b2c3d4e5f6a7b8"]},
        "reversePrivateEndpointIds[0] should be the output id of a ReversePrivateEndpoint, not "
        "'vpce-0a1b2c3d4e5f6a7b8'",
        reversePrivateEndpointIds=[UUID],
    ),
    of("kafka", MSK, {"iamRole": USER}, f"iamRole {ROLE}, not {USER!r}"),
    of("kafka", MSK, {"iamRole": "AKIAIOSFODNN7EXAMPLE"}, f"iamRole {ROLE}, not 'AKIAIOSFODNN7EXAMPLE'"),
    of(
        "kafka",
        {**MSK, "schemaRegistry": GLUE},
        {"schemaRegistry": {**GLUE, "glueRoleArn": USER}},
        f"schemaRegistry.glueRoleArn {ROLE}, not {USER!r}",
    ),
    of(
        "kafka",
        {**MSK, "schemaRegistry": GLUE},
        {"schemaRegistry": {**GLUE, "glueRegistryName": "arn:aws:glue:us-east-1:123456789012:registry/r"}},
        "schemaRegistry.glueRegistryName should be a name without the ARN or the address before it, not "
        "'arn:aws:glue:us-east-1:123456789012:registry/r'; did you mean r?",
    ),
    of("kafka", KAFKA, {"caCertificate": "certs/ca.pem"}, f"caCertificate {PEM}, not 'certs/ca.pem'", caCertificate=""),
    of(
        "kafka",
        KAFKA,
        {"caCertificate": A_KEY},
        f"caCertificate {PEM}, not '-----BEGIN PRIVATE KEY-----…",
        caCertificate=CERTIFICATE,
    ),
    of(
        "kafka",
        KAFKA,
        {"schemaRegistry": {**REGISTRY, "caCertificate": "LS0tLS1CRUdJTiBDRVJU"}},
        f"schemaRegistry.caCertificate {PEM}, not 'LS0tLS1CRUdJTi…",
        schemaRegistry={**REGISTRY, "caCertificate": CERTIFICATE},
        format="JSONEachRow",
    ),
    of(
        "kinesis",
        KINESIS,
        {"streamName": "arn:aws:kinesis:us-east-1:123456789012:stream/clicks"},
        "streamName should be a name without the ARN or the address before it, not "
        "'arn:aws:kinesis:us-east-1:123456789012:stream/clicks'; did you mean clicks?",
    ),
    of(
        "kinesis",
        KINESIS,
        {"region": "europe-west4"},
        "region should be a region of AWS, such as us-east-1, not 'europe-west4'",
    ),
    of(
        "pubsub",
        PUBSUB,
        {"filter": "data.kind = 'order'"},
        "filter should be about attributes of messages, as `attributes:kind` is",
        filter="NOT attributes:kind",
    ),
    of(
        "pubsub",
        PUBSUB,
        {"filter": 'attributes.kind == "order"'},
        "filter should compare with a single =",
        filter='attributes.kind = "order"',
    ),
    # files
    of(
        "objectStorage",
        FILES,
        {"url": f"{FILES['url'][:-1]}a?X-Amz-Signature=0"},
        "url should have no signature, which expires: remove it, and set authentication",
    ),
    of(
        "objectStorage",
        FILES,
        {"url": "https://s3.console.aws.amazon.com/s3/buckets/shop"},
        f"url should be an address of files, such {FILES_AT}, not of a page",
    ),
    of(
        "objectStorage",
        {**FILES, "type": "gcs"},
        {"url": "https://console.cloud.google.com/storage/browser/shop"},
        f"url should be an address of files, such {FILES_AT}, not of a page",
        url="gs://shop/*",
    ),
    of("objectStorage", FILES, {"url": "shop/clicks/*"}, f"url should begin with a protocol, {FILES_AT} does"),
    of(
        "objectStorage",
        FILES,
        {"url": FILES["url"][:-1]},
        "url should name files, such as all of a folder by `/*` at its end",
    ),
    of(
        "objectStorage",
        AZURE,
        {"path": "clicks/"},
        "path should name files, such as all of a folder by `/*` at its end",
    ),
    of("objectStorage", FILES, {"type": "gcs"}, "url should be an address of its type, not of gcs: its type is s3"),
    of(
        "objectStorage",
        AZURE,
        {"url": "https://shop.blob.core.windows.net/c/clicks/*"},
        "url should be an address of its type: for azureblobstorage, write azureContainerName and path instead",
    ),
    of(
        "objectStorage",
        {**FILES, "url": f"{FILES['url']}.gz"},
        {"compression": "none"},
        "compression should be that of the files: write auto or gzip",
        compression="gz",
    ),
    of(
        "objectStorage",
        {**FILES, "format": "CSVWithNames"},
        {"url": f"{FILES['url']}.parquet"},
        "format should be that of the files: write Parquet",
        url=f"{FILES['url']}.tsv.gz",
    ),
    of(
        "objectStorage",
        FILES,
        {"isContinuous": True, "url": f"{FILES['url'][:-1]}a"},
        "isContinuous should not be true for one file: write a wildcard such as `*` in its address",
        isContinuous=True,
    ),
    of(
        "objectStorage",
        FILES,
        {"delimiter": "comma"},
        "delimiter should be one character, such as `;` or a tab",
        delimiter="\t",
    ),
    of(
        "objectStorage",
        QUEUED,
        {"queueUrl": QUEUED["queueUrl"].replace("us-east-1", "eu-west-1")},
        "queueUrl should be a queue that the bucket can write to, in us-east-1",
    ),
    of(
        "objectStorage",
        QUEUED,
        {"queueUrl": f"{QUEUED['queueUrl']}.fifo"},
        "queueUrl should be a queue that the bucket can write to: for s3 a standard queue of SQS, for "
        "gcs a subscription",
    ),
    of(
        "objectStorage",
        FILES,
        {"url": "s3://shop"},
        "url should name files, such as all of a folder by `/*` at its end",
        url="s3://shop/*",
    ),
    of(
        "objectStorage",
        FILES,
        {"url": "https://shop.s3-website-us-east-1.amazonaws.com/clicks/*"},
        f"url should be an address of files, such {FILES_AT}, not of a page",
    ),
    *(
        of(
            "objectStorage",
            AZURE,
            {name: wrong},
            f"{name} should be a name within the storage, without",
            **{name: right},
        )
        for name, right, wrong in (
            ("path", "clicks/*", "https://shop.blob.core.windows.net/c/clicks/*"),
            ("path", "clicks/*", "/clicks/*"),
            ("azureContainerName", "c", "https://shop.blob.core.windows.net/c"),
            ("startAfter", "clicks/1.json", "s3://shop/clicks/1.json"),
        )
    ),
    # databases
    of(
        "postgres",
        POSTGRES,
        {"port": 22},
        "port should be that of Postgres, such as 5432, not 22 of SSH",
        port=6432,  # of a pooler, which passes changes since PgBouncer 1.23
        authentication="basic",
        iamRole="arn:aws:iam::123456789012:role/reader",  # which the cloud accepts and ignores
    ),
    of("mysql", MYSQL, {"port": 5432}, "port should be that of MySQL, such as 3306, not 5432 of Postgres"),
    of("postgres", POSTGRES, {"host": "ep-calm-1-pooler.us-east-2.aws.neon.tech"}, f"host {PRIMARY}"),
    of(
        "mysql",
        MYSQL,
        {"host": "shop.cluster-ro-1.us-east-1.rds.amazonaws.com"},
        f"host {PRIMARY}",
        host="shop.cluster-1.us-east-1.rds.amazonaws.com",
    ),
    of(
        "postgres",
        {**POSTGRES, "host": "shop.proxy-1.us-east-1.rds.amazonaws.com"},
        {"settings": {"replicationMode": "cdc"}},
        f"host {PRIMARY}",
        settings={"replicationMode": "snapshot"},
    ),
    of("postgres", POSTGRES, {"host": "localhost"}, f"host {OUTSIDE}"),
    of(
        "postgres",
        POSTGRES,
        {"host": "reader@db.example.com"},
        "host should be a host name without protocol, port and path, not 'reader@db.example.com'; "
        "did you mean db.example.com?",
    ),
    of(
        "postgres",
        POSTGRES,
        {"tlsHost": "https://db.example.com"},
        "tlsHost should be a host name without protocol, port and path, not 'https://db.example.com'; "
        "did you mean db.example.com?",
        tlsHost="db.example.com",
    ),
    of(
        "postgres",
        {**POSTGRES, "caCertificate": CERTIFICATE},
        {"disableTls": True},
        "disableTls should not be true beside tlsHost and caCertificate, which are for TLS: remove it, or these",
    ),
    of(
        "postgres",
        POSTGRES,
        {"settings": {"replicationMode": "cdc_only", "replicationSlotName": "Shop-1"}},
        "settings.replicationSlotName should have lowercase letters, digits and underscores only",
        settings={"replicationMode": "cdc_only", "replicationSlotName": "shop_1"},
    ),
    *(
        of(
            "postgres",
            POSTGRES,
            {"tableMappings": [{**MAPPING, **wrong}]},
            f"tableMappings[0].{warning}",
            tableMappings=[{**MAPPING, **right}],
        )
        for right, wrong, warning in (
            (
                {"useCustomSortingKey": True, "sortingKeys": ["id"], "excludedColumns": ["note"]},
                {"useCustomSortingKey": True, "sortingKeys": ["id"], "excludedColumns": ["id"]},
                "sortingKeys should not name a column of excludedColumns, not 'id'",
            ),
            ({}, {"sourceTable": "orders_*"}, "sourceTable should be one table: patterns are not supported"),
            (
                {"excludedColumns": ["a", "b"]},
                {"excludedColumns": ["a, b"]},
                "excludedColumns[0] should be the name of one column, not 'a, b'",
            ),
            (
                {"useCustomSortingKey": True, "sortingKeys": ["id"]},
                {"useCustomSortingKey": True, "sortingKeys": ["id DESC"]},
                "sortingKeys[0] should be without the keyword of its clause, not 'id DESC'; did you mean id?",
            ),
            ({"partitionKey": "id"}, {"partitionKey": "mod(id)"}, "partitionKey should be the name of one column, not"),
            (
                {"partitionByExpr": "toYear(made)"},
                {"partitionByExpr": "PARTITION BY toYear(made)"},
                (
                    "partitionByExpr should be without the keyword of its clause, not 'PARTITION BY toYear(made)'; "
                    "did you mean toYear(made)?"
                ),
            ),
        )
    ),
    of(
        "mongodb",
        MONGODB,
        {"uri": "mongodb+srv://db.example.com:27017"},
        "uri should have one host, and no port, after mongodb+srv://",
    ),
    of("mongodb", MONGODB, {"uri": "mongodb://localhost:27017/"}, f"uri {OUTSIDE}"),
    of(
        "bigquery",
        BIGQUERY,
        {"snapshotStagingPath": "staging/shop"},
        "snapshotStagingPath should be a path such as gs://BUCKET/PATH/, not 'staging/shop'",
    ),
    of(
        "bigquery",
        BIGQUERY,
        {"projectId": "Shop"},
        "projectId should be the id of a project, with 6 to 30 lowercase letters, digits and hyphens",
    ),
    of(
        "bigquery",
        BIGQUERY,
        {"tableMappings": [{**BIGQUERY["tableMappings"][0], "sourceDatasetName": "shop-1234.shop"}]},
        "tableMappings[0].sourceDatasetName should be the name of a data set alone, not 'shop-1234.shop'",
    ),
    # tables
    into(
        {"ttl": "30 DAY"},
        "columns should have the columns that the table definition names; missing: any in ttl `30 DAY`",
        ttl="at + INTERVAL 30 DAY",
    ),
    into(
        {"ttl": "TTL at + INTERVAL 30 DAY"},
        "tableDefinition.ttl should be without the keyword of its clause, not 'TTL at + INTERVAL 30 DAY'; "
        "did you mean at + INTERVAL 30 DAY?",
    ),
    into(
        {"partitionBy": "at"},
        f"tableDefinition {FEW}; partitionBy at makes a partition of each: write toYYYYMM of it",
        partitionBy="toYYYYMM(at)",
    ),
    into(
        {"sortingKey": ["at DESC"]},
        "tableDefinition.sortingKey[0] should be without the keyword of its clause, not 'at DESC'; did you mean at?",
    ),
    into(
        {"primaryKey": "(at)"},
        "tableDefinition.primaryKey should be the first columns of sortingKey",
        primaryKey="(id, at)",
    ),
    into(
        {"primaryKey": "day", "sortingKey": ["day"]},
        "columns should have the columns that the table definition names; missing: day",
        primaryKey="id",
    ),
    into(
        {"partitionBy": "MONTH"},
        "columns should have the columns that the table definition names; missing: any in partitionBy `MONTH`",
        partitionBy="tuple()",
    ),
    column("Array(Int64", "Array(Int64)", ""),
    column("text[]", "Array(varchar(20))", ""),
    *(
        column("array(string)", right, "; did you mean Array(String)?")
        for right in (
            *(
                "bigint",
                "timestamp",
                "DateTime64(6, 'UTC')",
                "JSON(a UInt8)",
                "double precision",
                "Int8",
                "nothing_yet",
            ),
            *("Tuple(string Int64, kind LowCardinality(String))", "Enum8('string' = 1)", "Nested(`uuid` UUID)"),
        )
    ),
    doubted(
        "Pipe",
        pipe("kafka", KAFKA),
        pipe("kafka", KAFKA, destination={**OF_TABLE, "columns": [{"name": "id", "type": "UUID"}] * 2}),
        "destination.columns should have each name once, but 'id' occurs more than once",
    ),
    # beside the source
    with_(
        KAFKA,
        "kafka",
        "fieldMappings",
        [{"sourceField": each, "destinationField": each} for each in ("id", "at", "user", "page")],
        [{"sourceField": each, "destinationField": each} for each in ("id", "at", "user", "page", "id")],
        " should have each destinationField once, but 'id' occurs more than once",
    ),
    with_(
        FILES,
        "objectStorage",
        "credentials",
        {},
        {"accessKeyId": "AKIA1", "secretKey": "s"},
        " should be those of its authentication: set source.objectStorage.authentication",
    ),
    *(
        with_(
            {**KAFKA, "authentication": authentication},
            "kafka",
            "credentials",
            {**others, name: right},
            {**others, name: wrong},
            f".{name} {warning}, not the secret value given",
        )
        for authentication, others, name, right, wrong, warning in (
            ("MUTUAL_TLS", {"privateKey": A_KEY}, "certificate", CERTIFICATE, "client.crt", PEM),
            (
                "MUTUAL_TLS",
                {"certificate": CERTIFICATE},
                "privateKey",
                A_KEY,
                A_KEY.replace("BEGIN", "BEGIN ENCRYPTED"),
                "should be the whole text of an unencrypted key in PEM",
            ),
        )
    ),
    with_(
        {**FILES, "authentication": "IAM_USER"},
        "objectStorage",
        "credentials",
        {"accessKeyId": "AKIA1", "secretKey": "s"},
        {"accessKeyId": "ASIA1", "secretKey": "s"},
        ".accessKeyId should be the id, and not the secret, of a key without session token, not the secret value given",
    ),
    with_(
        PUBSUB,
        "pubsub",
        "credentials",
        {"serviceAccountKey": "e30="},
        {"serviceAccountKey": '{"type": "service_account"}'},
        ".serviceAccountKey should be the base64 of a service account's key file, not the secret value given",
    ),
    # other resources
    doubted(
        "ReversePrivateEndpoint",
        ENDPOINT,
        {**ENDPOINT, "vpcEndpointServiceName": "vpce-svc-1"},
        (
            "vpcEndpointServiceName should be the name of an endpoint service, com.amazonaws.vpce.REGION.vpce-svc-…, "
            "and not an endpoint, not 'vpce-svc-1'"
        ),
    ),
    doubted(
        "ReversePrivateEndpoint",
        ENDPOINT,
        {**ENDPOINT, "vpcResourceConfigurationId": "rcfg-1"},
        "type should be that of all properties that identify a target: remove vpcResourceConfigurationId",
    ),
    doubted(
        "ReversePrivateEndpoint",
        RESOURCE,
        {**RESOURCE, "vpcResourceConfigurationId": "rgw-1"},
        "vpcResourceConfigurationId should be the id of a configuration, rcfg-…, not 'rgw-1'",
    ),
    doubted(
        "ReversePrivateEndpoint",
        RESOURCE,
        {**RESOURCE, "vpcResourceShareArn": "arn:aws:vpc-lattice:us-east-1:1:resourceconfiguration/rcfg-1"},
        (
            "vpcResourceShareArn should be the ARN of a resource share, arn:aws:ram:…:resource-share/…, not "
            "'arn:aws:vpc-lattice:us-east-1:1:resourceconfiguration/rcfg-1'"
        ),
    ),
    doubted(
        "ReversePrivateEndpoint",
        CLUSTER,
        {**CLUSTER, "mskClusterArn": "arn:aws:kafka:us-east-1:1:vpc-connection/1/shop/1"},
        (
            "mskClusterArn should be the ARN of a cluster, arn:aws:kafka:…:cluster/…, not "
            "'arn:aws:kafka:us-east-1:1:vpc-connection/1/shop/1'"
        ),
    ),
    doubted(
        "ReversePrivateEndpoint",
        ATTACHMENT,
        {
            **ATTACHMENT,
            "gcpServiceAttachment": f"https://www.googleapis.com/compute/v1/{ATTACHMENT['gcpServiceAttachment']}",
        },
        "gcpServiceAttachment should be projects/…/regions/…/serviceAttachments/… alone, not 'https://www.googleapis.com",
    ),
    doubted(
        "PipeSshKey", SSH_KEY, {**SSH_KEY, "port": 5432}, "port should be that of SSH, such as 22, not 5432 of Postgres"
    ),
    doubted("PipeSshKey", SSH_KEY, {**SSH_KEY, "host": "127.0.0.1"}, f"host {OUTSIDE}"),
)
