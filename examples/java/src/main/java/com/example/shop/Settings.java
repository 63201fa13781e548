package com.example.shop;

import com.pulumi.Config;

/** The values that differ between stacks. */
final class Settings {
    final int maxMemoryGb;
    final int replicas;
    final String officeNetwork;
    final boolean protect;
    /** Name or id. */
    final String pipe;
    final String source;
    final String keyRotation;
    final String webhookUrl;

    Settings(Config given) {
        maxMemoryGb = given.getInteger("maxMemoryGb").orElse(64);
        replicas = given.getInteger("replicas").orElse(3);
        officeNetwork = given.get("officeNetwork").orElse("203.0.113.0/24");
        protect = given.getBoolean("protect").orElse(false);
        pipe = given.get("pipe").orElse("events");
        source = given.get("source").orElse("Logs");
        keyRotation = given.get("keyRotation").orElse("first");
        webhookUrl = given.get("webhookUrl").orElse("https://events.example.com/shop");
    }
}
