import { AccountPage } from '../account/account-page.js';
import { useLoaded } from '../account/use-loaded.js';
import { api, unwrap } from '../client.js';
import { AuthorLink } from '../components/author.js';
import { useTexts } from '../components/context.js';

/** `/shared-drafts/<key>`: the Markdown of a draft, for readers with its link. */
export function SharedDraftPage() {
  const texts = useTexts();
  const key = location.pathname.split('/')[2] ?? '';
  const { data, wait } = useLoaded(() => unwrap(api.GET('/v1/shared-drafts/{key}', { params: { path: { key } } })));
  if (data === undefined) return <AccountPage title={texts.editor.sharedTitle}>{wait}</AccountPage>;
  return (
    <AccountPage title={data.title || texts.editor.untitled} isWide>
      <p class="meta">
        {texts.by} <AuthorLink author={data.author} />
      </p>
      <p class="shared-text" dir="auto">
        {data.content}
      </p>
    </AccountPage>
  );
}
