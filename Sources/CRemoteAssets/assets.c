// Written by script/embed: the files of web/, and openapi.yaml.
#include "CRemoteAssets.h"
#pragma clang diagnostic ignored "-Wc23-extensions" // #embed

// Each array ends with a byte of its own, since a file may be empty and an array may not.
static const unsigned char asset_css_apart_css[] = {
#embed "../../web/css/apart.css" suffix(,)
    0};
static const unsigned char asset_css_controls_css[] = {
#embed "../../web/css/controls.css" suffix(,)
    0};
static const unsigned char asset_css_dark_css[] = {
#embed "../../web/css/dark.css" suffix(,)
    0};
static const unsigned char asset_css_deck_css[] = {
#embed "../../web/css/deck.css" suffix(,)
    0};
static const unsigned char asset_css_dialogs_css[] = {
#embed "../../web/css/dialogs.css" suffix(,)
    0};
static const unsigned char asset_css_global_css[] = {
#embed "../../web/css/global.css" suffix(,)
    0};
static const unsigned char asset_css_idle_css[] = {
#embed "../../web/css/idle.css" suffix(,)
    0};
static const unsigned char asset_css_index_css[] = {
#embed "../../web/css/index.css" suffix(,)
    0};
static const unsigned char asset_css_layout_css[] = {
#embed "../../web/css/layout.css" suffix(,)
    0};
static const unsigned char asset_css_library_css[] = {
#embed "../../web/css/library.css" suffix(,)
    0};
static const unsigned char asset_css_lyrics_css[] = {
#embed "../../web/css/lyrics.css" suffix(,)
    0};
static const unsigned char asset_css_now_css[] = {
#embed "../../web/css/now.css" suffix(,)
    0};
static const unsigned char asset_css_player_css[] = {
#embed "../../web/css/player.css" suffix(,)
    0};
static const unsigned char asset_css_queue_css[] = {
#embed "../../web/css/queue.css" suffix(,)
    0};
static const unsigned char asset_css_reset_css[] = {
#embed "../../web/css/reset.css" suffix(,)
    0};
static const unsigned char asset_css_settings_css[] = {
#embed "../../web/css/settings.css" suffix(,)
    0};
static const unsigned char asset_css_sleeve_css[] = {
#embed "../../web/css/sleeve.css" suffix(,)
    0};
static const unsigned char asset_css_sliders_css[] = {
#embed "../../web/css/sliders.css" suffix(,)
    0};
static const unsigned char asset_css_variables_css[] = {
#embed "../../web/css/variables.css" suffix(,)
    0};
static const unsigned char asset_icon_svg[] = {
#embed "../../web/icon.svg" suffix(,)
    0};
static const unsigned char asset_index_html[] = {
#embed "../../web/index.html" suffix(,)
    0};
static const unsigned char asset_js_access_js[] = {
#embed "../../web/js/access.js" suffix(,)
    0};
static const unsigned char asset_js_acts_js[] = {
#embed "../../web/js/acts.js" suffix(,)
    0};
static const unsigned char asset_js_early_js[] = {
#embed "../../web/js/early.js" suffix(,)
    0};
static const unsigned char asset_js_format_js[] = {
#embed "../../web/js/format.js" suffix(,)
    0};
static const unsigned char asset_js_gesture_js[] = {
#embed "../../web/js/gesture.js" suffix(,)
    0};
static const unsigned char asset_js_installation_js[] = {
#embed "../../web/js/installation.js" suffix(,)
    0};
static const unsigned char asset_js_jumps_js[] = {
#embed "../../web/js/jumps.js" suffix(,)
    0};
static const unsigned char asset_js_lang_ar_json[] = {
#embed "../../web/js/lang/ar.json" suffix(,)
    0};
static const unsigned char asset_js_lang_de_json[] = {
#embed "../../web/js/lang/de.json" suffix(,)
    0};
static const unsigned char asset_js_lang_en_json[] = {
#embed "../../web/js/lang/en.json" suffix(,)
    0};
static const unsigned char asset_js_lang_lang_js[] = {
#embed "../../web/js/lang/lang.js" suffix(,)
    0};
static const unsigned char asset_js_late_js[] = {
#embed "../../web/js/late.js" suffix(,)
    0};
static const unsigned char asset_js_link_api_js[] = {
#embed "../../web/js/link/api.js" suffix(,)
    0};
static const unsigned char asset_js_link_chase_js[] = {
#embed "../../web/js/link/chase.js" suffix(,)
    0};
static const unsigned char asset_js_link_clock_js[] = {
#embed "../../web/js/link/clock.js" suffix(,)
    0};
static const unsigned char asset_js_link_commands_js[] = {
#embed "../../web/js/link/commands.js" suffix(,)
    0};
static const unsigned char asset_js_link_connectionSearch_js[] = {
#embed "../../web/js/link/connectionSearch.js" suffix(,)
    0};
static const unsigned char asset_js_link_identity_js[] = {
#embed "../../web/js/link/identity.js" suffix(,)
    0};
static const unsigned char asset_js_link_link_js[] = {
#embed "../../web/js/link/link.js" suffix(,)
    0};
static const unsigned char asset_js_link_operations_js[] = {
#embed "../../web/js/link/operations.js" suffix(,)
    0};
static const unsigned char asset_js_link_presence_js[] = {
#embed "../../web/js/link/presence.js" suffix(,)
    0};
static const unsigned char asset_js_link_socket_js[] = {
#embed "../../web/js/link/socket.js" suffix(,)
    0};
static const unsigned char asset_js_link_stream_js[] = {
#embed "../../web/js/link/stream.js" suffix(,)
    0};
static const unsigned char asset_js_link_timers_js[] = {
#embed "../../web/js/link/timers.js" suffix(,)
    0};
static const unsigned char asset_js_lyrics_js[] = {
#embed "../../web/js/lyrics.js" suffix(,)
    0};
static const unsigned char asset_js_main_js[] = {
#embed "../../web/js/main.js" suffix(,)
    0};
static const unsigned char asset_js_media_js[] = {
#embed "../../web/js/media.js" suffix(,)
    0};
static const unsigned char asset_js_mediaKeys_js[] = {
#embed "../../web/js/mediaKeys.js" suffix(,)
    0};
static const unsigned char asset_js_news_js[] = {
#embed "../../web/js/news.js" suffix(,)
    0};
static const unsigned char asset_js_pictures_js[] = {
#embed "../../web/js/pictures.js" suffix(,)
    0};
static const unsigned char asset_js_playhead_js[] = {
#embed "../../web/js/playhead.js" suffix(,)
    0};
static const unsigned char asset_js_preferences_js[] = {
#embed "../../web/js/preferences.js" suffix(,)
    0};
static const unsigned char asset_js_problems_js[] = {
#embed "../../web/js/problems.js" suffix(,)
    0};
static const unsigned char asset_js_remote_js[] = {
#embed "../../web/js/remote.js" suffix(,)
    0};
static const unsigned char asset_js_rest_js[] = {
#embed "../../web/js/rest.js" suffix(,)
    0};
static const unsigned char asset_js_router_js[] = {
#embed "../../web/js/router.js" suffix(,)
    0};
static const unsigned char asset_js_scrub_js[] = {
#embed "../../web/js/scrub.js" suffix(,)
    0};
static const unsigned char asset_js_state_addresses_js[] = {
#embed "../../web/js/state/addresses.js" suffix(,)
    0};
static const unsigned char asset_js_state_arrangement_js[] = {
#embed "../../web/js/state/arrangement.js" suffix(,)
    0};
static const unsigned char asset_js_state_board_js[] = {
#embed "../../web/js/state/board.js" suffix(,)
    0};
static const unsigned char asset_js_state_entries_js[] = {
#embed "../../web/js/state/entries.js" suffix(,)
    0};
static const unsigned char asset_js_state_library_js[] = {
#embed "../../web/js/state/library.js" suffix(,)
    0};
static const unsigned char asset_js_state_queue_js[] = {
#embed "../../web/js/state/queue.js" suffix(,)
    0};
static const unsigned char asset_js_state_search_js[] = {
#embed "../../web/js/state/search.js" suffix(,)
    0};
static const unsigned char asset_js_state_titles_js[] = {
#embed "../../web/js/state/titles.js" suffix(,)
    0};
static const unsigned char asset_js_steps_js[] = {
#embed "../../web/js/steps.js" suffix(,)
    0};
static const unsigned char asset_js_store_js[] = {
#embed "../../web/js/store.js" suffix(,)
    0};
static const unsigned char asset_js_theme_js[] = {
#embed "../../web/js/theme.js" suffix(,)
    0};
static const unsigned char asset_js_ticker_js[] = {
#embed "../../web/js/ticker.js" suffix(,)
    0};
static const unsigned char asset_js_undo_js[] = {
#embed "../../web/js/undo.js" suffix(,)
    0};
static const unsigned char asset_js_views_addDrop_js[] = {
#embed "../../web/js/views/addDrop.js" suffix(,)
    0};
static const unsigned char asset_js_views_addView_js[] = {
#embed "../../web/js/views/addView.js" suffix(,)
    0};
static const unsigned char asset_js_views_apart_js[] = {
#embed "../../web/js/views/apart.js" suffix(,)
    0};
static const unsigned char asset_js_views_chapters_js[] = {
#embed "../../web/js/views/chapters.js" suffix(,)
    0};
static const unsigned char asset_js_views_choices_js[] = {
#embed "../../web/js/views/choices.js" suffix(,)
    0};
static const unsigned char asset_js_views_connection_js[] = {
#embed "../../web/js/views/connection.js" suffix(,)
    0};
static const unsigned char asset_js_views_deviceVolume_js[] = {
#embed "../../web/js/views/deviceVolume.js" suffix(,)
    0};
static const unsigned char asset_js_views_dom_js[] = {
#embed "../../web/js/views/dom.js" suffix(,)
    0};
static const unsigned char asset_js_views_extras_js[] = {
#embed "../../web/js/views/extras.js" suffix(,)
    0};
static const unsigned char asset_js_views_facts_js[] = {
#embed "../../web/js/views/facts.js" suffix(,)
    0};
static const unsigned char asset_js_views_history_js[] = {
#embed "../../web/js/views/history.js" suffix(,)
    0};
static const unsigned char asset_js_views_hooks_js[] = {
#embed "../../web/js/views/hooks.js" suffix(,)
    0};
static const unsigned char asset_js_views_icons_js[] = {
#embed "../../web/js/views/icons.js" suffix(,)
    0};
static const unsigned char asset_js_views_idle_js[] = {
#embed "../../web/js/views/idle.js" suffix(,)
    0};
static const unsigned char asset_js_views_jumpsChip_js[] = {
#embed "../../web/js/views/jumpsChip.js" suffix(,)
    0};
static const unsigned char asset_js_views_keys_js[] = {
#embed "../../web/js/views/keys.js" suffix(,)
    0};
static const unsigned char asset_js_views_late_js[] = {
#embed "../../web/js/views/late.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryActs_js[] = {
#embed "../../web/js/views/libraryActs.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryHeader_js[] = {
#embed "../../web/js/views/libraryHeader.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryMenu_js[] = {
#embed "../../web/js/views/libraryMenu.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryPictures_js[] = {
#embed "../../web/js/views/libraryPictures.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryPlaces_js[] = {
#embed "../../web/js/views/libraryPlaces.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryRows_js[] = {
#embed "../../web/js/views/libraryRows.js" suffix(,)
    0};
static const unsigned char asset_js_views_librarySelection_js[] = {
#embed "../../web/js/views/librarySelection.js" suffix(,)
    0};
static const unsigned char asset_js_views_libraryView_js[] = {
#embed "../../web/js/views/libraryView.js" suffix(,)
    0};
static const unsigned char asset_js_views_loop_js[] = {
#embed "../../web/js/views/loop.js" suffix(,)
    0};
static const unsigned char asset_js_views_lyrics_js[] = {
#embed "../../web/js/views/lyrics.js" suffix(,)
    0};
static const unsigned char asset_js_views_mini_js[] = {
#embed "../../web/js/views/mini.js" suffix(,)
    0};
static const unsigned char asset_js_views_modes_js[] = {
#embed "../../web/js/views/modes.js" suffix(,)
    0};
static const unsigned char asset_js_views_notices_js[] = {
#embed "../../web/js/views/notices.js" suffix(,)
    0};
static const unsigned char asset_js_views_nowPlaying_js[] = {
#embed "../../web/js/views/nowPlaying.js" suffix(,)
    0};
static const unsigned char asset_js_views_nowRow_js[] = {
#embed "../../web/js/views/nowRow.js" suffix(,)
    0};
static const unsigned char asset_js_views_outputs_js[] = {
#embed "../../web/js/views/outputs.js" suffix(,)
    0};
static const unsigned char asset_js_views_page_js[] = {
#embed "../../web/js/views/page.js" suffix(,)
    0};
static const unsigned char asset_js_views_playerName_js[] = {
#embed "../../web/js/views/playerName.js" suffix(,)
    0};
static const unsigned char asset_js_views_queueActs_js[] = {
#embed "../../web/js/views/queueActs.js" suffix(,)
    0};
static const unsigned char asset_js_views_queueDrag_js[] = {
#embed "../../web/js/views/queueDrag.js" suffix(,)
    0};
static const unsigned char asset_js_views_queueKeys_js[] = {
#embed "../../web/js/views/queueKeys.js" suffix(,)
    0};
static const unsigned char asset_js_views_queueMenus_js[] = {
#embed "../../web/js/views/queueMenus.js" suffix(,)
    0};
static const unsigned char asset_js_views_queueRow_js[] = {
#embed "../../web/js/views/queueRow.js" suffix(,)
    0};
static const unsigned char asset_js_views_queueView_js[] = {
#embed "../../web/js/views/queueView.js" suffix(,)
    0};
static const unsigned char asset_js_views_scrubbing_js[] = {
#embed "../../web/js/views/scrubbing.js" suffix(,)
    0};
static const unsigned char asset_js_views_searchView_js[] = {
#embed "../../web/js/views/searchView.js" suffix(,)
    0};
static const unsigned char asset_js_views_seekBar_js[] = {
#embed "../../web/js/views/seekBar.js" suffix(,)
    0};
static const unsigned char asset_js_views_settings_js[] = {
#embed "../../web/js/views/settings.js" suffix(,)
    0};
static const unsigned char asset_js_views_sheet_js[] = {
#embed "../../web/js/views/sheet.js" suffix(,)
    0};
static const unsigned char asset_js_views_shell_js[] = {
#embed "../../web/js/views/shell.js" suffix(,)
    0};
static const unsigned char asset_js_views_shortcuts_js[] = {
#embed "../../web/js/views/shortcuts.js" suffix(,)
    0};
static const unsigned char asset_js_views_signal_js[] = {
#embed "../../web/js/views/signal.js" suffix(,)
    0};
static const unsigned char asset_js_views_sleep_js[] = {
#embed "../../web/js/views/sleep.js" suffix(,)
    0};
static const unsigned char asset_js_views_sleepText_js[] = {
#embed "../../web/js/views/sleepText.js" suffix(,)
    0};
static const unsigned char asset_js_views_speed_js[] = {
#embed "../../web/js/views/speed.js" suffix(,)
    0};
static const unsigned char asset_js_views_status_js[] = {
#embed "../../web/js/views/status.js" suffix(,)
    0};
static const unsigned char asset_js_views_tint_js[] = {
#embed "../../web/js/views/tint.js" suffix(,)
    0};
static const unsigned char asset_js_views_touch_js[] = {
#embed "../../web/js/views/touch.js" suffix(,)
    0};
static const unsigned char asset_js_views_transport_js[] = {
#embed "../../web/js/views/transport.js" suffix(,)
    0};
static const unsigned char asset_js_views_undo_js[] = {
#embed "../../web/js/views/undo.js" suffix(,)
    0};
static const unsigned char asset_js_views_unlock_js[] = {
#embed "../../web/js/views/unlock.js" suffix(,)
    0};
static const unsigned char asset_js_views_virtualList_js[] = {
#embed "../../web/js/views/virtualList.js" suffix(,)
    0};
static const unsigned char asset_js_views_volume_js[] = {
#embed "../../web/js/views/volume.js" suffix(,)
    0};
static const unsigned char asset_js_views_volumeSlider_js[] = {
#embed "../../web/js/views/volumeSlider.js" suffix(,)
    0};
static const unsigned char asset_js_views_waveform_js[] = {
#embed "../../web/js/views/waveform.js" suffix(,)
    0};
static const unsigned char asset_js_views_waveformCanvas_js[] = {
#embed "../../web/js/views/waveformCanvas.js" suffix(,)
    0};
static const unsigned char asset_js_volumeGuard_js[] = {
#embed "../../web/js/volumeGuard.js" suffix(,)
    0};
static const unsigned char asset_js_wanted_js[] = {
#embed "../../web/js/wanted.js" suffix(,)
    0};
static const unsigned char asset_js_waveform_js[] = {
#embed "../../web/js/waveform.js" suffix(,)
    0};
static const unsigned char asset_js_words_js[] = {
#embed "../../web/js/words.js" suffix(,)
    0};
static const unsigned char asset_manifest_webmanifest[] = {
#embed "../../web/manifest.webmanifest" suffix(,)
    0};
static const unsigned char asset_sw_js[] = {
#embed "../../web/sw.js" suffix(,)
    0};
static const unsigned char asset_touch_icon_png[] = {
#embed "../../web/touch-icon.png" suffix(,)
    0};
static const unsigned char contract[] = {
#embed "../../openapi.yaml" suffix(,)
    0};

static const CRemoteAsset page[] = {
    {"css/apart.css", asset_css_apart_css, sizeof asset_css_apart_css - 1},
    {"css/controls.css", asset_css_controls_css, sizeof asset_css_controls_css - 1},
    {"css/dark.css", asset_css_dark_css, sizeof asset_css_dark_css - 1},
    {"css/deck.css", asset_css_deck_css, sizeof asset_css_deck_css - 1},
    {"css/dialogs.css", asset_css_dialogs_css, sizeof asset_css_dialogs_css - 1},
    {"css/global.css", asset_css_global_css, sizeof asset_css_global_css - 1},
    {"css/idle.css", asset_css_idle_css, sizeof asset_css_idle_css - 1},
    {"css/index.css", asset_css_index_css, sizeof asset_css_index_css - 1},
    {"css/layout.css", asset_css_layout_css, sizeof asset_css_layout_css - 1},
    {"css/library.css", asset_css_library_css, sizeof asset_css_library_css - 1},
    {"css/lyrics.css", asset_css_lyrics_css, sizeof asset_css_lyrics_css - 1},
    {"css/now.css", asset_css_now_css, sizeof asset_css_now_css - 1},
    {"css/player.css", asset_css_player_css, sizeof asset_css_player_css - 1},
    {"css/queue.css", asset_css_queue_css, sizeof asset_css_queue_css - 1},
    {"css/reset.css", asset_css_reset_css, sizeof asset_css_reset_css - 1},
    {"css/settings.css", asset_css_settings_css, sizeof asset_css_settings_css - 1},
    {"css/sleeve.css", asset_css_sleeve_css, sizeof asset_css_sleeve_css - 1},
    {"css/sliders.css", asset_css_sliders_css, sizeof asset_css_sliders_css - 1},
    {"css/variables.css", asset_css_variables_css, sizeof asset_css_variables_css - 1},
    {"icon.svg", asset_icon_svg, sizeof asset_icon_svg - 1},
    {"index.html", asset_index_html, sizeof asset_index_html - 1},
    {"js/access.js", asset_js_access_js, sizeof asset_js_access_js - 1},
    {"js/acts.js", asset_js_acts_js, sizeof asset_js_acts_js - 1},
    {"js/early.js", asset_js_early_js, sizeof asset_js_early_js - 1},
    {"js/format.js", asset_js_format_js, sizeof asset_js_format_js - 1},
    {"js/gesture.js", asset_js_gesture_js, sizeof asset_js_gesture_js - 1},
    {"js/installation.js", asset_js_installation_js, sizeof asset_js_installation_js - 1},
    {"js/jumps.js", asset_js_jumps_js, sizeof asset_js_jumps_js - 1},
    {"js/lang/ar.json", asset_js_lang_ar_json, sizeof asset_js_lang_ar_json - 1},
    {"js/lang/de.json", asset_js_lang_de_json, sizeof asset_js_lang_de_json - 1},
    {"js/lang/en.json", asset_js_lang_en_json, sizeof asset_js_lang_en_json - 1},
    {"js/lang/lang.js", asset_js_lang_lang_js, sizeof asset_js_lang_lang_js - 1},
    {"js/late.js", asset_js_late_js, sizeof asset_js_late_js - 1},
    {"js/link/api.js", asset_js_link_api_js, sizeof asset_js_link_api_js - 1},
    {"js/link/chase.js", asset_js_link_chase_js, sizeof asset_js_link_chase_js - 1},
    {"js/link/clock.js", asset_js_link_clock_js, sizeof asset_js_link_clock_js - 1},
    {"js/link/commands.js", asset_js_link_commands_js, sizeof asset_js_link_commands_js - 1},
    {"js/link/connectionSearch.js", asset_js_link_connectionSearch_js, sizeof asset_js_link_connectionSearch_js - 1},
    {"js/link/identity.js", asset_js_link_identity_js, sizeof asset_js_link_identity_js - 1},
    {"js/link/link.js", asset_js_link_link_js, sizeof asset_js_link_link_js - 1},
    {"js/link/operations.js", asset_js_link_operations_js, sizeof asset_js_link_operations_js - 1},
    {"js/link/presence.js", asset_js_link_presence_js, sizeof asset_js_link_presence_js - 1},
    {"js/link/socket.js", asset_js_link_socket_js, sizeof asset_js_link_socket_js - 1},
    {"js/link/stream.js", asset_js_link_stream_js, sizeof asset_js_link_stream_js - 1},
    {"js/link/timers.js", asset_js_link_timers_js, sizeof asset_js_link_timers_js - 1},
    {"js/lyrics.js", asset_js_lyrics_js, sizeof asset_js_lyrics_js - 1},
    {"js/main.js", asset_js_main_js, sizeof asset_js_main_js - 1},
    {"js/media.js", asset_js_media_js, sizeof asset_js_media_js - 1},
    {"js/mediaKeys.js", asset_js_mediaKeys_js, sizeof asset_js_mediaKeys_js - 1},
    {"js/news.js", asset_js_news_js, sizeof asset_js_news_js - 1},
    {"js/pictures.js", asset_js_pictures_js, sizeof asset_js_pictures_js - 1},
    {"js/playhead.js", asset_js_playhead_js, sizeof asset_js_playhead_js - 1},
    {"js/preferences.js", asset_js_preferences_js, sizeof asset_js_preferences_js - 1},
    {"js/problems.js", asset_js_problems_js, sizeof asset_js_problems_js - 1},
    {"js/remote.js", asset_js_remote_js, sizeof asset_js_remote_js - 1},
    {"js/rest.js", asset_js_rest_js, sizeof asset_js_rest_js - 1},
    {"js/router.js", asset_js_router_js, sizeof asset_js_router_js - 1},
    {"js/scrub.js", asset_js_scrub_js, sizeof asset_js_scrub_js - 1},
    {"js/state/addresses.js", asset_js_state_addresses_js, sizeof asset_js_state_addresses_js - 1},
    {"js/state/arrangement.js", asset_js_state_arrangement_js, sizeof asset_js_state_arrangement_js - 1},
    {"js/state/board.js", asset_js_state_board_js, sizeof asset_js_state_board_js - 1},
    {"js/state/entries.js", asset_js_state_entries_js, sizeof asset_js_state_entries_js - 1},
    {"js/state/library.js", asset_js_state_library_js, sizeof asset_js_state_library_js - 1},
    {"js/state/queue.js", asset_js_state_queue_js, sizeof asset_js_state_queue_js - 1},
    {"js/state/search.js", asset_js_state_search_js, sizeof asset_js_state_search_js - 1},
    {"js/state/titles.js", asset_js_state_titles_js, sizeof asset_js_state_titles_js - 1},
    {"js/steps.js", asset_js_steps_js, sizeof asset_js_steps_js - 1},
    {"js/store.js", asset_js_store_js, sizeof asset_js_store_js - 1},
    {"js/theme.js", asset_js_theme_js, sizeof asset_js_theme_js - 1},
    {"js/ticker.js", asset_js_ticker_js, sizeof asset_js_ticker_js - 1},
    {"js/undo.js", asset_js_undo_js, sizeof asset_js_undo_js - 1},
    {"js/views/addDrop.js", asset_js_views_addDrop_js, sizeof asset_js_views_addDrop_js - 1},
    {"js/views/addView.js", asset_js_views_addView_js, sizeof asset_js_views_addView_js - 1},
    {"js/views/apart.js", asset_js_views_apart_js, sizeof asset_js_views_apart_js - 1},
    {"js/views/chapters.js", asset_js_views_chapters_js, sizeof asset_js_views_chapters_js - 1},
    {"js/views/choices.js", asset_js_views_choices_js, sizeof asset_js_views_choices_js - 1},
    {"js/views/connection.js", asset_js_views_connection_js, sizeof asset_js_views_connection_js - 1},
    {"js/views/deviceVolume.js", asset_js_views_deviceVolume_js, sizeof asset_js_views_deviceVolume_js - 1},
    {"js/views/dom.js", asset_js_views_dom_js, sizeof asset_js_views_dom_js - 1},
    {"js/views/extras.js", asset_js_views_extras_js, sizeof asset_js_views_extras_js - 1},
    {"js/views/facts.js", asset_js_views_facts_js, sizeof asset_js_views_facts_js - 1},
    {"js/views/history.js", asset_js_views_history_js, sizeof asset_js_views_history_js - 1},
    {"js/views/hooks.js", asset_js_views_hooks_js, sizeof asset_js_views_hooks_js - 1},
    {"js/views/icons.js", asset_js_views_icons_js, sizeof asset_js_views_icons_js - 1},
    {"js/views/idle.js", asset_js_views_idle_js, sizeof asset_js_views_idle_js - 1},
    {"js/views/jumpsChip.js", asset_js_views_jumpsChip_js, sizeof asset_js_views_jumpsChip_js - 1},
    {"js/views/keys.js", asset_js_views_keys_js, sizeof asset_js_views_keys_js - 1},
    {"js/views/late.js", asset_js_views_late_js, sizeof asset_js_views_late_js - 1},
    {"js/views/libraryActs.js", asset_js_views_libraryActs_js, sizeof asset_js_views_libraryActs_js - 1},
    {"js/views/libraryHeader.js", asset_js_views_libraryHeader_js, sizeof asset_js_views_libraryHeader_js - 1},
    {"js/views/libraryMenu.js", asset_js_views_libraryMenu_js, sizeof asset_js_views_libraryMenu_js - 1},
    {"js/views/libraryPictures.js", asset_js_views_libraryPictures_js, sizeof asset_js_views_libraryPictures_js - 1},
    {"js/views/libraryPlaces.js", asset_js_views_libraryPlaces_js, sizeof asset_js_views_libraryPlaces_js - 1},
    {"js/views/libraryRows.js", asset_js_views_libraryRows_js, sizeof asset_js_views_libraryRows_js - 1},
    {"js/views/librarySelection.js", asset_js_views_librarySelection_js, sizeof asset_js_views_librarySelection_js - 1},
    {"js/views/libraryView.js", asset_js_views_libraryView_js, sizeof asset_js_views_libraryView_js - 1},
    {"js/views/loop.js", asset_js_views_loop_js, sizeof asset_js_views_loop_js - 1},
    {"js/views/lyrics.js", asset_js_views_lyrics_js, sizeof asset_js_views_lyrics_js - 1},
    {"js/views/mini.js", asset_js_views_mini_js, sizeof asset_js_views_mini_js - 1},
    {"js/views/modes.js", asset_js_views_modes_js, sizeof asset_js_views_modes_js - 1},
    {"js/views/notices.js", asset_js_views_notices_js, sizeof asset_js_views_notices_js - 1},
    {"js/views/nowPlaying.js", asset_js_views_nowPlaying_js, sizeof asset_js_views_nowPlaying_js - 1},
    {"js/views/nowRow.js", asset_js_views_nowRow_js, sizeof asset_js_views_nowRow_js - 1},
    {"js/views/outputs.js", asset_js_views_outputs_js, sizeof asset_js_views_outputs_js - 1},
    {"js/views/page.js", asset_js_views_page_js, sizeof asset_js_views_page_js - 1},
    {"js/views/playerName.js", asset_js_views_playerName_js, sizeof asset_js_views_playerName_js - 1},
    {"js/views/queueActs.js", asset_js_views_queueActs_js, sizeof asset_js_views_queueActs_js - 1},
    {"js/views/queueDrag.js", asset_js_views_queueDrag_js, sizeof asset_js_views_queueDrag_js - 1},
    {"js/views/queueKeys.js", asset_js_views_queueKeys_js, sizeof asset_js_views_queueKeys_js - 1},
    {"js/views/queueMenus.js", asset_js_views_queueMenus_js, sizeof asset_js_views_queueMenus_js - 1},
    {"js/views/queueRow.js", asset_js_views_queueRow_js, sizeof asset_js_views_queueRow_js - 1},
    {"js/views/queueView.js", asset_js_views_queueView_js, sizeof asset_js_views_queueView_js - 1},
    {"js/views/scrubbing.js", asset_js_views_scrubbing_js, sizeof asset_js_views_scrubbing_js - 1},
    {"js/views/searchView.js", asset_js_views_searchView_js, sizeof asset_js_views_searchView_js - 1},
    {"js/views/seekBar.js", asset_js_views_seekBar_js, sizeof asset_js_views_seekBar_js - 1},
    {"js/views/settings.js", asset_js_views_settings_js, sizeof asset_js_views_settings_js - 1},
    {"js/views/sheet.js", asset_js_views_sheet_js, sizeof asset_js_views_sheet_js - 1},
    {"js/views/shell.js", asset_js_views_shell_js, sizeof asset_js_views_shell_js - 1},
    {"js/views/shortcuts.js", asset_js_views_shortcuts_js, sizeof asset_js_views_shortcuts_js - 1},
    {"js/views/signal.js", asset_js_views_signal_js, sizeof asset_js_views_signal_js - 1},
    {"js/views/sleep.js", asset_js_views_sleep_js, sizeof asset_js_views_sleep_js - 1},
    {"js/views/sleepText.js", asset_js_views_sleepText_js, sizeof asset_js_views_sleepText_js - 1},
    {"js/views/speed.js", asset_js_views_speed_js, sizeof asset_js_views_speed_js - 1},
    {"js/views/status.js", asset_js_views_status_js, sizeof asset_js_views_status_js - 1},
    {"js/views/tint.js", asset_js_views_tint_js, sizeof asset_js_views_tint_js - 1},
    {"js/views/touch.js", asset_js_views_touch_js, sizeof asset_js_views_touch_js - 1},
    {"js/views/transport.js", asset_js_views_transport_js, sizeof asset_js_views_transport_js - 1},
    {"js/views/undo.js", asset_js_views_undo_js, sizeof asset_js_views_undo_js - 1},
    {"js/views/unlock.js", asset_js_views_unlock_js, sizeof asset_js_views_unlock_js - 1},
    {"js/views/virtualList.js", asset_js_views_virtualList_js, sizeof asset_js_views_virtualList_js - 1},
    {"js/views/volume.js", asset_js_views_volume_js, sizeof asset_js_views_volume_js - 1},
    {"js/views/volumeSlider.js", asset_js_views_volumeSlider_js, sizeof asset_js_views_volumeSlider_js - 1},
    {"js/views/waveform.js", asset_js_views_waveform_js, sizeof asset_js_views_waveform_js - 1},
    {"js/views/waveformCanvas.js", asset_js_views_waveformCanvas_js, sizeof asset_js_views_waveformCanvas_js - 1},
    {"js/volumeGuard.js", asset_js_volumeGuard_js, sizeof asset_js_volumeGuard_js - 1},
    {"js/wanted.js", asset_js_wanted_js, sizeof asset_js_wanted_js - 1},
    {"js/waveform.js", asset_js_waveform_js, sizeof asset_js_waveform_js - 1},
    {"js/words.js", asset_js_words_js, sizeof asset_js_words_js - 1},
    {"manifest.webmanifest", asset_manifest_webmanifest, sizeof asset_manifest_webmanifest - 1},
    {"sw.js", asset_sw_js, sizeof asset_sw_js - 1},
    {"touch-icon.png", asset_touch_icon_png, sizeof asset_touch_icon_png - 1},
};

const CRemoteAsset *CRemoteAssets_page(size_t *count) {
    *count = sizeof page / sizeof *page;
    return page;
}

CRemoteAsset CRemoteAssets_openAPI(void) {
    return (CRemoteAsset){"openapi.yaml", contract, sizeof contract - 1};
}
