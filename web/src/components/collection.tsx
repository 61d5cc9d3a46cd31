import { type Collection, collectionPath } from '../api.js';
import { useTexts } from './context.js';
import { TagList } from './card.js';
import { Time } from './time.js';

/** A collection in a list. */
export function CollectionItem({ collection }: { collection: Collection }) {
  const texts = useTexts();
  const { kind, title, description, stats, tags, updatedAt } = collection;
  return (
    <article class="card">
      <div class="card-text">
        <p class="meta">
          <span class="kind">{texts.kindOfCollection[kind]}</span>
          <span>{texts.postsCount(stats.postsCount)}</span>
          <Time at={updatedAt} />
        </p>
        <h2 dir="auto">
          <a href={collectionPath(collection)}>{title}</a>
        </h2>
        {description !== '' && (
          <p class="preview" dir="auto">
            {description}
          </p>
        )}
        <TagList tags={tags} />
      </div>
    </article>
  );
}
