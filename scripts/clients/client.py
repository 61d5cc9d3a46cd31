# What openapi-generator makes of the document, used against a running server: BASE_URL.
import base64
import os

import opencanvas_client as api
from opencanvas_client.models.post_type import PostType
from opencanvas_client.models.vote_choice import VoteChoice

configuration = api.Configuration(host=os.environ["BASE_URL"])
client = api.ApiClient(configuration)

signed_in = api.SignInApi(client).login(api.LoginInput(login="demo_writer", password="opencanvas-demo-2025"))
assert signed_in.user.username == "demo_writer"
configuration.access_token = signed_in.access_token

feed = api.FeedApi(client)
first = feed.list_feed(limit=2)
assert len(first.data) == 2 and first.page.next_cursor is not None
second = feed.list_feed(limit=2, cursor=first.page.next_cursor)
assert second.data[0].id != first.data[0].id

posts = api.PostsApi(client)
draft = api.CreatePostInput(title="Écrit en Python", content="It weaves.", type=PostType.ARTICLE, tags=["größe"])
created = posts.create_post_with_http_info(draft)
etag = {name.lower(): value for name, value in (created.headers or {}).items()}["etag"]
edited = posts.update_post(created.data.id, api.UpdatePostInput(title="Edited"), if_match=etag)
assert edited.title == "Edited"
try:
    posts.update_post(created.data.id, api.UpdatePostInput(title="Again"), if_match=etag)
    raise AssertionError("an old version was taken")
except api.ApiException as error:
    assert error.status == 412 and "precondition_failed" in str(error.body)

assert api.InteractionsApi(client).vote_post(created.data.id, api.VoteInput(value=VoteChoice.LIKE)).value == "like"
assert len(posts.list_posts_by_id([card.id for card in first.data]).data) == 2
assert len(api.SearchApi(client).search_all('"analytical engine"').data.posts or []) > 0

uploaded = api.MediaApi(client).upload_media(("dot.png", base64.b64decode(os.environ["PICTURE"])))
assert uploaded.width == 1
print("Python: ok")
