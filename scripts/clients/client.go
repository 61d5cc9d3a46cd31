// What oapi-codegen makes of the document, used against a running server: BASE_URL.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"
	"os"

	"clients/api"
)

func check(isRight bool, what string) {
	if !isRight {
		log.Fatal(what)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	token := ""
	bearer := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	client := must(api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(bearer)))

	signedIn := must(client.LoginWithResponse(ctx, api.LoginInput{Login: "demo_writer", Password: "opencanvas-demo-2025"}))
	check(signedIn.JSON200 != nil && signedIn.JSON200.User.Username == "demo_writer", "sign-in")
	token = signedIn.JSON200.AccessToken

	limit := int32(2)
	first := must(client.ListFeedWithResponse(ctx, &api.ListFeedParams{Limit: &limit}))
	check(first.JSON200 != nil && len(first.JSON200.Data) == 2 && first.JSON200.Page.NextCursor != nil, "a page")
	second := must(client.ListFeedWithResponse(ctx, &api.ListFeedParams{Limit: &limit, Cursor: first.JSON200.Page.NextCursor}))
	check(second.JSON200 != nil && second.JSON200.Data[0].Id != first.JSON200.Data[0].Id, "the next page")

	tags := []string{"größe"}
	created := must(client.CreatePostWithResponse(ctx, nil, api.CreatePostInput{Title: "Écrit en Go", Content: "It weaves.", Type: "article", Tags: &tags}))
	check(created.JSON201 != nil, "publish")
	id := created.JSON201.Id
	etag := created.HTTPResponse.Header.Get("ETag")
	title := "Edited"
	edit := func() *api.UpdatePostResponse {
		return must(client.UpdatePostWithResponse(ctx, id, &api.UpdatePostParams{IfMatch: &etag}, api.UpdatePostInput{Title: &title}))
	}
	edited := edit()
	check(edited.JSON200 != nil && edited.JSON200.Title == title, "If-Match")
	stale := edit().ApplicationproblemJSONDefault
	check(stale != nil && stale.Status == 412 && stale.Code == "precondition_failed", "a typed error")

	vote := must(client.VotePostWithResponse(ctx, id, api.VoteInput{Value: api.VoteChoiceLike}))
	check(vote.JSON200 != nil, "vote")

	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part := must(writer.CreateFormFile("file", "dot.png"))
	must(part.Write(must(base64.StdEncoding.DecodeString(os.Getenv("PICTURE")))))
	check(writer.Close() == nil, "form")
	uploaded := must(client.UploadMediaWithBodyWithResponse(ctx, &api.UploadMediaParams{}, writer.FormDataContentType(), &form))
	check(uploaded.JSON201 != nil && uploaded.JSON201.Width == 1, "upload: "+string(uploaded.Body))
	fmt.Println("Go: ok")
}
