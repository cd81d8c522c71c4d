import Foundation

/// Waits until a program has written a change to its state directory, which it does after the answer.
/// - Parameters:
///   - query: A query of SQL, whose first result is compared with `value`.
func waitUntilWritten(in directory: String, _ query: String, is value: String) throws {
    // The program keeps its database locked, so a copy is read. A copy that was made during a write is the database before that write.
    let program = """
        import pathlib, shutil, sqlite3, sys, tempfile
        with tempfile.TemporaryDirectory() as folder:
            for path in pathlib.Path(sys.argv[1]).glob("state.db*"):
                shutil.copy(path, folder)
            print(*sqlite3.connect(folder + "/state.db").execute(sys.argv[2]).fetchone(), end="")
        """
    try eventually("\(query) is \(value)") { try? run("python3", ["-c", program, directory, query]) == value ? true : nil }
}

/// Returns the position in the current entry, in seconds, that a program has written last during playback; nil if there is none.
func writtenPosition(in directory: String) -> Double? {
    guard let bytes = FileManager.default.contents(atPath: directory + "/position"), bytes.count == 24 else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: Double.self) }
}
