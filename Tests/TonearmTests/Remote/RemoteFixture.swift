/// Documents as a daemon sends them: states, a queue and a list of outputs, in JSON.
enum RemoteFixture {
    /// Returns a state of the player, as JSON. `title` is inserted into the JSON unchanged, so it may contain escape sequences.
    static func state(
        title: String = "A", time: Double = 0, reason: String = "seek", status: String = "playing", rate: Double = 1, volume: Double = 0.5,
        isMuted: Bool = false
    ) -> String {
        """
        {"epoch":"e","revision":1,"timeControlStatus":"\(status)","reasonForWaitingToPlay":"none","ended":false,"rate":\(rate),"defaultRate":1,\
        "volume":\(volume),"isMuted":\(isMuted),"repeatMode":"all","isShuffled":true,"anchor":{"time":\(time),"hostTime":1,"rate":1},\
        "lastChange":{"reason":"\(reason)","origin":"web"},"\(queueMember)":{"revision":1,"count":3,"index":1},\
        "output":{"kind":"pulse","id":"","name":"Speakers"},"sleepTimer":{"kind":"off"},"unknown":[{}],\
        "currentItem":{"id":"e2","url":"file:///a/b%20c.flac","title":"\(title)","duration":100,"status":"new value"}}
        """
    }

    static let empty =
        """
        {"timeControlStatus":"paused","reasonForWaitingToPlay":"none","ended":false,"rate":0,"defaultRate":1,"volume":1,"isMuted":false,\
        "repeatMode":"off","isShuffled":false,"anchor":{"time":0,"hostTime":1,"rate":0},"lastChange":{"reason":"none","origin":"player"},\
        "\(queueMember)":{"revision":0,"count":0,"index":-1},"output":{"kind":"none","id":"","name":""},"sleepTimer":{"kind":"off"}}
        """

    static let queue =
        """
        {"revision":1,"count":3,"currentId":"e2","entries":[{"id":"e1","url":"file:///x/one.flac"},{"id":"e2","url":"http://h/","title":"Two","artist":"Someone","duration":61},\
        {"id":"e/3","url":"file:///gone","error":{"code":"c","message":"No\\nfile"}}]}
        """

    /// Returns a page of a queue, as JSON.
    static func page(_ ids: [String], count: Int, revision: Int = 1) -> String {
        let entries = ids.map { "{\"id\":\"\($0)\",\"url\":\"file:///x\"}" }.joined(separator: ",")
        return "{\"revision\":\(revision),\"count\":\(count),\"entries\":[\(entries)]}"
    }

    static let outputs =
        """
        {"chosenId":"auto","outputs":[{"id":"auto","kind":"auto","name":"Automatic"},{"id":"pulse:x","kind":"pulse","name":"Speakers"}]}
        """

    /// The name of the state's member that summarises the queue: its revision, count and current index.
    static let queueMember = "queue"
}
