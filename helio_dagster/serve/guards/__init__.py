"""What keeps strangers out: tokens. The checks of Host and Origin are `launch.web.page_guard`, limits `hosting.limits`."""
