import { unwrap } from '../../../sdk/src/problem.js';
import { Action } from '../account/action.js';
import { Rows, useRows } from '../account/rows.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { Item } from './current-account.js';

export function Sessions() {
  const { sessions: texts, lastUsed } = useTexts().settings;
  const list = useRows(() => unwrap(api.GET('/v1/auth/sessions', {})));
  const others = list.rows.filter(({ isCurrent }) => !isCurrent);
  return (
    <>
      <p>{texts.hint}</p>
      <Rows list={list} empty="">
        {({ id, device, network, lastUsedAt, isCurrent }) => (
          <Item
            key={id}
            title={device}
            mark={isCurrent ? texts.isCurrent : undefined}
            details={
              <>
                {lastUsed} <Moment at={lastUsedAt} />
                {network !== null && ` · ${network}`}
              </>
            }
          >
            {!isCurrent && (
              <Action
                label={texts.end}
                of={device}
                send={() => api.DELETE('/v1/auth/sessions/{id}', { params: { path: { id } } })}
                done={() => list.remove(id)}
              />
            )}
          </Item>
        )}
      </Rows>
      {others.length > 0 && (
        <div class="actions">
          <Action
            label={texts.endOthers}
            confirm={texts.confirmEndOthers}
            send={() => api.DELETE('/v1/auth/sessions', { params: { query: { keepCurrent: 'true' } } })}
            done={() => others.forEach(({ id }) => list.remove(id))}
          />
        </div>
      )}
    </>
  );
}
