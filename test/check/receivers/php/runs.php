<?php

// Reports how often an event ran.
echo count(glob(getenv("RECEIVER_FOLDER") . "/" . hash("sha256", $_GET["marker"]) . "/*"));
