import Combine
import Foundation
import Testing

private class Model: ObservableObject {
    @Published var count = 0
    @Published private(set) var name = "none"
    func take(_ names: some Publisher<String, Never>) { names.assign(to: &$name) }
}
private final class DetailedModel: Model {
    @Published var detail = false
}

@Suite("Published properties", .cancelsSubscriptions) struct PublishedTests {
    @Test("$property sends the current value first, then each new value before the property changes")
    func order() {
        let model = Model()
        let log = Log()
        let token = model.$count.sink { log.add("told \($0), reads \(model.count)") }
        model.count = 1
        model.count += 1
        #expect(log.lines == ["told 0, reads 0", "told 1, reads 0", "told 2, reads 1"])
        #expect(model.count == 2)
        token.cancel()
    }

    @Test("assign(to:) writes every value as long as the property exists, and keeps nothing alive (R-COMB-03)")
    func assignToPublished() {
        let names = CurrentValueSubject<String, Never>("a")
        var model: Model? = Model()
        weak let observed = model
        model?.take(names.map { $0 + "!" })
        #expect(model?.name == "a!")
        names.send("b")
        #expect(model?.name == "b!")
        model = nil
        #expect(observed == nil)
        names.send("c")
    }

    @Test("assign(to:on:) writes a property of any object until its token is released")
    func assignToProperty() {
        final class Plain { var value = 0 }
        let source = PassthroughSubject<Int, Never>()
        let object = Plain()
        var token: AnyCancellable? = source.assign(to: \.value, on: object)
        source.send(3)
        #expect(object.value == 3 && token != nil)
        token = nil
        source.send(4)
        #expect(object.value == 3)
    }

    @Test("objectWillChange is sent before each change of a published property, also one of a subclass")
    func announcement() {
        let model = DetailedModel()
        let log = Log()
        let token = model.objectWillChange.sink { log.add("\(model.count) \(model.detail)") }
        model.count = 1
        model.detail = true
        #expect(model.objectWillChange === model.objectWillChange)
        #expect(log.lines == ["0 false", "1 false"])
        token.cancel()
    }

    @Test("published properties of two objects are independent")
    func apart() {
        let (a, b) = (Model(), Model())
        let log = Log()
        let token = b.$count.dropFirst().sink { log.add("\($0)") }
        a.count = 5
        b.count = 6
        #expect(log.lines == ["6"] && a.count == 5)
        token.cancel()
    }

    @Test("notifications of one name and object arrive on the poster's thread until the token is released")
    func notifications() {
        let (center, mine, other) = (NotificationCenter(), NSObject(), NSObject())
        let name = Notification.Name("CombineTests")
        let log = Log()
        var token: AnyCancellable? = center.publisher(for: name, object: mine).sink { log.add("\($0.userInfo?["n"] ?? "")") }
        center.post(name: name, object: mine, userInfo: ["n": 1])
        center.post(name: name, object: other, userInfo: ["n": 2])
        center.post(name: Notification.Name("Another"), object: mine, userInfo: ["n": 3])
        #expect(log.lines == ["1"] && token != nil)
        token = nil
        center.post(name: name, object: mine, userInfo: ["n": 4])
        #expect(log.lines == ["1"])
    }

    @Test("notifications without demand are lost")
    func notificationDemand() {
        let center = NotificationCenter()
        let name = Notification.Name("CombineTests")
        let subscriber = RecordingSubscriber<Int?, Never>(.max(1))
        center.publisher(for: name).map { $0.userInfo?["n"] as? Int }.subscribe(subscriber)
        for number in 1...3 { center.post(name: name, object: nil, userInfo: ["n": number]) }
        #expect(subscriber.values == [1])
        subscriber.subscription?.cancel()
    }
}
