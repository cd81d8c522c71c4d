// Uses a player through a generated client: loads, plays, seeks, edits the queue, and checks errors.
//
// usage: drive ADDRESS URL [TOKEN]      ADDRESS is the server's, URL a medium of ten seconds
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"

	"tonearm"
)

func check(condition bool, what string, values ...any) {
	if !condition {
		fmt.Println("drive.go:", what, fmt.Sprint(values...))
		os.Exit(1)
	}
}

// problem returns the problem with which a request is refused.
func problem(err error) tonearm.Problem {
	failure, isFailure := err.(*tonearm.GenericOpenAPIError)
	check(isFailure, "it was not refused", err)
	var problem tonearm.Problem
	check(json.Unmarshal(failure.Body(), &problem) == nil, "no problem", string(failure.Body()))
	return problem
}

func ok[Answer any](answer Answer, _ *http.Response, err error) Answer {
	check(err == nil, "a request failed:", err)
	return answer
}

func main() {
	address, medium := os.Args[1], os.Args[2]
	configuration := tonearm.NewConfiguration()
	configuration.Servers = tonearm.ServerConfigurations{{URL: address}}
	if len(os.Args) > 3 {
		configuration.AddDefaultHeader("Authorization", "Bearer "+os.Args[3])
	}
	client := tonearm.NewAPIClient(configuration)
	player, items, queue := client.PlayerAPI, client.ItemAPI, client.QueueAPI
	ctx := context.Background()

	// Load and play.
	request := tonearm.NewItemRequest(medium)
	request.SetPlay(false)
	item := ok(items.PutItem(ctx).ItemRequest(*request).Wait(10).Execute())
	check(item.Status == tonearm.ITEMSTATUS_READY_TO_PLAY && math.Abs(item.GetDuration()-10) < 0.1, "loaded", *item)
	play := tonearm.NewPlayRequest()
	play.SetRate(1)
	state := ok(player.Play(ctx).PlayRequest(*play).TonearmClient("generated").Execute())
	check(state.Rate == 1 && state.LastChange.Origin == "generated", "played", *state)
	check(state.CurrentItem.Id == item.Id, "the current item is the one that was loaded")

	// Seek, and settings.
	check(ok(player.Pause(ctx).Execute()).Rate == 0, "paused")
	seek := tonearm.NewSeekRequest()
	seek.SetTime(4.5)
	result := ok(player.Seek(ctx).SeekRequest(*seek).Execute())
	check(result.Finished && result.Time == 4.5, "sought", *result)
	update := tonearm.NewPlayerUpdate()
	update.SetVolume(0.25)
	update.SetIsMuted(true)
	state = ok(player.UpdatePlayer(ctx).PlayerUpdate(*update).Execute())
	check(state.Volume == 0.25 && state.IsMuted, "updated", *state)

	// A host time keeps its microseconds, also if the server has been up for months.
	for state.Revision = -1; ; {
		raw := rawState(address)
		state = ok(player.GetPlayer(ctx).Execute())
		if raw.Revision == state.Revision {
			check(math.Abs(state.Anchor.HostTime-raw.Anchor.HostTime) < 1e-6, "a host time lost digits", state.Anchor.HostTime)
			break
		}
	}

	// The queue; a repeated request is not performed again.
	first, second := tonearm.NewNewEntry(), tonearm.NewNewEntry()
	first.SetUrl(medium)
	second.SetUrl(medium)
	second.SetTitle("Second")
	made := ok(queue.PutQueue(ctx).QueueRequest(*tonearm.NewQueueRequest([]tonearm.NewEntry{*first, *second})).Execute())
	check(made.Count == 2 && made.Entries[1].GetTitle() == "Second", "queued", *made)
	for i := 0; i < 2; i++ {
		addition := tonearm.NewQueueAddition([]tonearm.NewEntry{*first})
		ok(queue.AddToQueue(ctx).QueueAddition(*addition).IdempotencyKey(fmt.Sprint("key-", os.Getpid())).Execute())
	}
	check(ok(queue.GetQueue(ctx).Execute()).Count == 3, "added once")
	check(ok(queue.NextEntry(ctx).Execute()).Queue.Index == 1, "the next entry is current")
	check(ok(items.GetItemDetails(ctx, made.Entries[1].Id).Execute()).GetTitle() == "Second", "details")

	// Errors are problems.
	seek.SetTime(1000)
	_, _, err := player.Seek(ctx).SeekRequest(*seek).Execute()
	beyond := problem(err)
	check(beyond.Type == "/problems/seek-out-of-range" && math.Abs(beyond.GetEnd()-10) < 0.1, "beyond", beyond)
	_, _, err = items.PutItem(ctx).ItemRequest(*tonearm.NewItemRequest("file:///etc/passwd")).Execute()
	outside := problem(err)
	check(outside.Status == 403 && outside.GetPointer() == "/url", "outside", outside)
	fmt.Println("ok")
}

type rawAnchor struct {
	Revision int64
	Anchor   struct{ HostTime float64 }
}

// rawState returns the state as the server sends it.
func rawState(address string) (state rawAnchor) {
	request, err := http.NewRequest("GET", address+"/api/v1/player", nil)
	check(err == nil, "no request", err)
	if len(os.Args) > 3 {
		request.Header.Set("Authorization", "Bearer "+os.Args[3])
	}
	response, err := http.DefaultClient.Do(request)
	check(err == nil, "no response", err)
	defer response.Body.Close()
	check(json.NewDecoder(response.Body).Decode(&state) == nil, "no state")
	return state
}
