import { useState } from 'preact/hooks';
import { AccountPage } from '../account/account-page.js';
import { SignedIn } from '../account/signed-in.js';
import { useAction } from '../account/use-action.js';
import { useLoaded } from '../account/use-loaded.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Choices } from '../components/pager.js';
import { Toggle } from './buttons.js';
import { OwnList } from './own-lists.js';

type ForYouCard = Schemas['ForYouCard'];
type Feedback = Schemas['FeedbackKind'];

const KINDS: Feedback[] = ['more', 'less'];
const SORTS = ['hot', 'rising', 'discussed'] as const;
const SUGGESTED_TAGS = 24;

/** `/for-you`: posts chosen for the reader, with the reasons. */
export function ForYouPage() {
  const texts = useTexts();
  const others = SORTS.map((sort) => ({
    href: sort === 'hot' ? '/' : `/?sort=${sort}`,
    label: texts.feeds[sort],
    isCurrent: false,
  }));
  return (
    <AccountPage title={texts.forYou} isWide>
      <Choices label={texts.sortBy} choices={[{ href: '/for-you', label: texts.forYou, isCurrent: true }, ...others]} />
      <SignedIn>
        <ForYou />
      </SignedIn>
    </AccountPage>
  );
}

function ForYou() {
  const { forYouPage: forYou } = useTexts();
  const { data, wait } = useLoaded(async () => {
    const [me, tags] = await Promise.all([
      unwrap(api.GET('/v1/auth/me', {})),
      unwrap(api.GET('/v1/users/me/tags', {})),
    ]);
    const { settings, stats } = me;
    return { ...settings, isNew: settings.personalised && tags.data.length === 0 && stats.followingCount === 0 };
  });
  const [isAsked, setAsked] = useState(false);
  if (data === undefined) return wait;
  if (data.isNew && !isAsked) return <ChooseTags done={() => setAsked(true)} />;
  return (
    <>
      {!data.personalised && (
        <p class="empty">
          {forYou.off} <a href="/settings/profile">{forYou.settings}</a>
        </p>
      )}
      <OwnList<ForYouCard>
        load={(query) => unwrap(api.GET('/v1/feed/for-you', { params: { query } }))}
        empty={forYou.empty}
        noteOf={({ reason }) => forYou.reasons[reason]}
        buttonsOf={({ id }) => data.personalised && <FeedbackButtons id={id} />}
      />
    </>
  );
}

/** Asks an account that follows none what it likes to read. */
function ChooseTags({ done }: { done: () => void }) {
  const { forYouPage: forYou } = useTexts();
  const { data, wait } = useLoaded(() =>
    unwrap(api.GET('/v1/tags', { params: { query: { sort: 'popular', limit: SUGGESTED_TAGS } } })),
  );
  if (data === undefined) return wait;
  return (
    <section class="choose-tags">
      <h2>{forYou.choose}</h2>
      <p class="small">{forYou.chooseHint}</p>
      <p class="own" role="group" aria-label={forYou.choose}>
        {data.data.map(({ tag }) => {
          const path = { params: { path: { tag } } };
          return (
            <Toggle
              key={tag}
              labels={[`#${tag}`, `#${tag}`]}
              isOn={false}
              send={(isOn) =>
                isOn ? api.PUT('/v1/tags/{tag}/follow', path) : api.DELETE('/v1/tags/{tag}/follow', path)
              }
            />
          );
        })}
      </p>
      <button type="button" class="button" onClick={done}>
        {forYou.show}
      </button>
    </section>
  );
}

/** “More like this” and “less like this”. The effect is in the feed when it is opened again. */
function FeedbackButtons({ id }: { id: string }) {
  const { forYouPage: forYou } = useTexts();
  const { run, failure } = useAction();
  const [given, setGiven] = useState<Feedback>();
  const give = (kind: Feedback) =>
    run(
      () => api.PUT('/v1/feed/for-you/feedback', { body: { postId: id, kind } }),
      () => setGiven(kind),
    );
  return (
    <>
      {KINDS.map((kind) => (
        <button key={kind} type="button" aria-pressed={given === kind} onClick={() => void give(kind)}>
          {forYou[kind]}
        </button>
      ))}
      <span role="status">{given !== undefined && forYou.given[given]}</span>
      {failure !== undefined && <span role="alert">{failure.text}</span>}
    </>
  );
}
