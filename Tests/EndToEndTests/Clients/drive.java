// Uses a player through a generated client: loads, plays, seeks, edits the queue, and checks errors.
//
// usage: java Drive ADDRESS URL [TOKEN]      ADDRESS is the server's, URL a medium of ten seconds
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import tonearm.*;
import tonearm.ItemApi.*;
import tonearm.PlayerApi.*;
import tonearm.QueueApi.*;

final class Drive {
    static void check(boolean condition, Object what) {
        if (!condition) throw new IllegalStateException("drive.java: " + what);
    }

    /** Returns the problem with which a request is refused. */
    static Problem problem(Callable<?> request) throws Exception {
        try {
            request.call();
        } catch (ApiException error) {
            return JSON.getDefault().getMapper().readValue(error.getResponseBody(), Problem.class);
        }
        throw new IllegalStateException("drive.java: it was not refused");
    }

    public static void main(String[] arguments) throws Exception {
        var address = arguments[0];
        var medium = arguments[1];
        var client = new ApiClient();
        client.updateBaseUri(address);
        if (arguments.length > 2) client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + arguments[2]));
        var player = new PlayerApi(client);
        var items = new ItemApi(client);
        var queue = new QueueApi(client);

        // Load and play.
        var item = items.putItem(APIPutItemRequest.newBuilder().itemRequest(new ItemRequest().url(medium).play(false)).seconds(10.0).build());
        check(item.getStatus() == ItemStatus.READY_TO_PLAY && Math.abs(item.getDuration() - 10) < 0.1, item);
        var state = player.play(APIPlayRequest.newBuilder().playRequest(new PlayRequest().rate(1.0)).tonearmClient("generated").build());
        check(state.getRate() == 1 && state.getLastChange().getOrigin().equals("generated"), state);
        check(state.getCurrentItem().getId().equals(item.getId()), "the current item is the one that was loaded");

        // Seek, and settings.
        check(player.pause(APIPauseRequest.newBuilder().build()).getRate() == 0, "paused");
        var result = player.seek(APISeekRequest.newBuilder().seekRequest(new SeekRequest().time(4.5)).build());
        check(result.getFinished() && result.getTime() == 4.5, result);
        var update = new PlayerUpdate().volume(0.25).isMuted(true);
        state = player.updatePlayer(APIUpdatePlayerRequest.newBuilder().playerUpdate(update).build());
        check(state.getVolume() == 0.25 && state.getIsMuted(), state);

        // A host time keeps its microseconds, also if the server has been up for months.
        while (true) {
            var request = HttpRequest.newBuilder(URI.create(address + "/api/v1/player"));
            if (arguments.length > 2) request.header("Authorization", "Bearer " + arguments[2]);
            var raw = new ObjectMapper().readTree(HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString()).body());
            state = player.getPlayer(APIGetPlayerRequest.newBuilder().build());
            if (raw.get("revision").longValue() != state.getRevision()) continue;
            check(Math.abs(state.getAnchor().getHostTime() - raw.get("anchor").get("hostTime").doubleValue()) < 1e-6, "a host time lost digits");
            break;
        }

        // The queue; a repeated request is not performed again.
        var entries = List.of(new NewEntry().url(medium), new NewEntry().url(medium).title("Second"));
        var made = queue.putQueue(APIPutQueueRequest.newBuilder().queueRequest(new QueueRequest().entries(entries)).build());
        check(made.getCount() == 2 && made.getEntries().get(1).getTitle().equals("Second"), made);
        var addition = new QueueAddition().addEntriesItem(new NewEntry().url(medium));
        var add = APIAddToQueueRequest.newBuilder().queueAddition(addition).idempotencyKey(UUID.randomUUID().toString()).build();
        for (int i = 0; i < 2; i += 1) queue.addToQueue(add);
        check(queue.getQueue(APIGetQueueRequest.newBuilder().build()).getCount() == 3, "added once");
        check(queue.nextEntry(APINextEntryRequest.newBuilder().build()).getQueue().getIndex() == 1, "the next entry is current");
        var details = items.getItemDetails(APIGetItemDetailsRequest.newBuilder().id(made.getEntries().get(1).getId()).build());
        check(details.getTitle().equals("Second"), details);
        var request = APIGetWaveformRequest.newBuilder().id(made.getEntries().get(0).getId()).points(50L).build();
        var waveform = items.getWaveform(request);
        while (!waveform.getIsComplete()) waveform = items.getWaveform(request);
        check(waveform.getMaximum().size() == 50, waveform);

        // Errors are problems.
        var beyond = problem(() -> player.seek(APISeekRequest.newBuilder().seekRequest(new SeekRequest().time(1000.0)).build()));
        check(beyond.getType().equals("/problems/seek-out-of-range") && Math.abs(beyond.getEnd() - 10) < 0.1, beyond);
        var outside = problem(() -> items.putItem(APIPutItemRequest.newBuilder().itemRequest(new ItemRequest().url("file:///etc/passwd")).build()));
        check(outside.getStatus() == 403 && outside.getPointer().equals("/url"), outside);
        var change = APIUpdatePlayerRequest.newBuilder().playerUpdate(new PlayerUpdate().volume(1.0)).ifMatch("\"x\"").build();
        var stale = problem(() -> player.updatePlayer(change));
        check(stale.getStatus() == 412, stale);
        System.out.println("ok");
    }
}
