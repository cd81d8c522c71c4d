/// Writes the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    /// Writes the comment lines that describe a metric: its name, its kind and its help text.
    mutating func describe(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Writes one value of a metric. The values of `labels` are constants or validated texts, so they need no escaping.
    mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: Double) {
        text += name
        if !labels.isEmpty { text += "{" + labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",") + "}" }
        text += " \(JSONWriter.text(value))\n"
    }

    /// Writes a metric that has a single value without labels: first its description, then the value.
    mutating func single(_ name: String, _ kind: String, _ help: String, _ value: Double) {
        describe(name, kind, help)
        sample(name, [:], value)
    }
}
