<?php

// Receivers in plain PHP: a right one, and common mistakes by RECEIVER_VARIANT. Each request is a new process to PHP, so
// events are kept in files, as they would be in a database.

$secret = getenv("RECEIVER_SECRET");
$variant = getenv("RECEIVER_VARIANT");
$raw = file_get_contents("php://input");

function verify(string $body): void
{
    global $secret;
    $expected = "sha256=" . hash_hmac("sha256", $body, $secret);
    if (!hash_equals($expected, $_SERVER["HTTP_X_SERVICE_SIGNATURE"] ?? "")) {
        http_response_code(401);
        exit;
    }
}

if ($variant === "reencode") {
    $event = json_decode($raw, true);
    verify(json_encode($event));
} elseif ($variant === "post") {
    // php://input is empty for multipart/form-data, which PHP has parsed into $_POST.
    if ($raw !== "") {
        verify($raw);
    }
    $event = $_POST ?: json_decode($raw, true);
} elseif ($variant === "uri") {
    // PHP runs this file for more than this spelling of the URL.
    if ($_SERVER["REQUEST_URI"] === "/webhooks.php") {
        verify($raw);
    }
    $event = json_decode($raw, true);
} else {
    if ($_SERVER["REQUEST_METHOD"] !== "POST") {
        http_response_code(405);
        exit;
    }
    verify($raw);
    $event = json_decode($raw, true);
}

$marker = $event["data"]["id"] ?? null;
if (!is_string($event["event"] ?? null) || !is_string($marker)) {
    http_response_code(400);
    exit;
}
$folder = getenv("RECEIVER_FOLDER") . "/" . hash("sha256", $marker);
@mkdir($folder);
touch("$folder/" . hash("sha256", json_encode([$event["timestamp"] ?? "", $event["data"]])));
