import { useState } from 'preact/hooks';
import { Hint, Labelled } from '../account/request-form.js';
import { POST_TYPES } from '../api.js';
import { useTexts } from '../components/context.js';
import type { Fields } from './fields.js';
import { ThumbnailField } from './images.js';

type Name = keyof Fields;
type Props = {
  fields: Fields;
  errors: Partial<Record<Name, string>>;
  /** whether the draft edits a post */
  isEdit: boolean;
  onChange: (fields: Partial<Fields>) => void;
};

const VISIBILITIES = ['public', 'unlisted', 'private'] as const;

/** The fields of a draft besides its text. */
export function Labels({ fields, errors, isEdit, onChange }: Props) {
  const texts = useTexts();
  const { editor } = texts;
  const [tags, setTags] = useState(fields.tags.join(', '));
  const input = (name: Name) => ({
    name,
    'aria-invalid': errors[name] !== undefined,
    'aria-describedby': `${name}-hint`,
  });
  return (
    <>
      <div class="field">
        <input
          {...input('title')}
          class="title-input"
          aria-label={editor.title}
          placeholder={editor.title}
          value={fields.title}
          maxLength={200}
          dir="auto"
          onInput={({ currentTarget }) => onChange({ title: currentTarget.value })}
        />
        <Hint name="title" error={errors.title} />
      </div>
      <div class="field">
        <input
          {...input('subtitle')}
          class="subtitle-input"
          aria-label={editor.subtitle}
          placeholder={editor.subtitle}
          value={fields.subtitle ?? ''}
          maxLength={120}
          dir="auto"
          onInput={({ currentTarget }) => onChange({ subtitle: currentTarget.value || null })}
        />
        <Hint name="subtitle" error={errors.subtitle} />
      </div>
      <div class="writing-labels">
        <Labelled name="type" label={editor.type} error={errors.type}>
          <select
            {...input('type')}
            value={fields.type ?? ''}
            onChange={({ currentTarget }) => onChange({ type: (currentTarget.value || null) as Fields['type'] })}
          >
            <option value="">{editor.chooseType}</option>
            {POST_TYPES.map((type) => (
              <option key={type} value={type}>
                {texts.type[type]}
              </option>
            ))}
          </select>
        </Labelled>
        <Labelled name="tags" label={editor.tags} error={errors.tags} hint={editor.tagsHint}>
          <input
            {...input('tags')}
            value={tags}
            dir="auto"
            onInput={({ currentTarget: { value } }) => {
              setTags(value);
              onChange({ tags: value.split(/[\s,#]+/).filter((tag) => tag !== '') });
            }}
          />
        </Labelled>
        <Labelled name="visibility" label={editor.visibility} error={errors.visibility}>
          <select
            {...input('visibility')}
            value={fields.visibility ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onChange({ visibility: (value || null) as Fields['visibility'] })
            }
          >
            <option value="">{isEdit ? editor.unchanged : editor.visibilities.public}</option>
            {VISIBILITIES.filter((one) => isEdit || one !== 'public').map((one) => (
              <option key={one} value={one}>
                {editor.visibilities[one]}
              </option>
            ))}
          </select>
        </Labelled>
      </div>
      <details>
        <summary>{editor.more}</summary>
        <div class="writing-labels">
          <ThumbnailField url={fields.thumbnailUrl} onChange={(thumbnailUrl) => onChange({ thumbnailUrl })} />
          <Labelled
            name="canonicalUrl"
            label={editor.canonicalUrl}
            error={errors.canonicalUrl}
            hint={editor.canonicalHint}
          >
            <input
              {...input('canonicalUrl')}
              type="url"
              value={fields.canonicalUrl ?? ''}
              dir="ltr"
              onInput={({ currentTarget }) => onChange({ canonicalUrl: currentTarget.value || null })}
            />
          </Labelled>
        </div>
      </details>
    </>
  );
}
