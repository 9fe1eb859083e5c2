"""What keeps strangers out: tokens and limits. The checks of Host and Origin are `launch.web.page_guard`."""
