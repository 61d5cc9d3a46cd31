import { useState } from 'preact/hooks';
import { Action } from '../account/action.js';
import { Done } from '../account/account-page.js';
import { Rows, useRows } from '../account/rows.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { useStaff } from './staff.js';

/** Registrations that wait for approval, oldest first. */
export function SignUps() {
  const texts = useTexts().moderation;
  const list = useRows((cursor) => unwrap(api.GET('/v1/admin/sign-ups', { params: { query: cursor } })));
  return (
    <Rows list={list} empty={texts.noSignUps}>
      {(row) => <Item key={row.id} {...row} />}
    </Rows>
  );
}

function Item({ id, username, fullName, reason, provider, createdAt }: Schemas['SignUp']) {
  const texts = useTexts().moderation;
  const { recount } = useStaff();
  const [decided, setDecided] = useState<string>();
  const params = { path: { id } };
  const done = (text: string) => (): void => {
    setDecided(text);
    recount();
  };
  return (
    <li>
      <div>
        <h2 dir="auto">{fullName || username}</h2>
        <p class="small soft">
          @{username} · <Moment at={createdAt} />
          {provider !== null && ` · ${provider}`}
        </p>
        {reason !== '' && <blockquote dir="auto">{reason}</blockquote>}
      </div>
      {decided !== undefined ? (
        <Done>{decided}</Done>
      ) : (
        <div class="actions">
          <Action
            label={texts.approve}
            confirm={texts.confirmApproval(username)}
            send={() => api.PUT('/v1/admin/sign-ups/{id}/approval', { params })}
            done={done(texts.approved)}
          />
          <Action
            label={texts.reject}
            confirm={texts.confirmRejection(username)}
            send={() => api.DELETE('/v1/admin/sign-ups/{id}', { params })}
            done={done(texts.rejected)}
          />
        </div>
      )}
    </li>
  );
}
