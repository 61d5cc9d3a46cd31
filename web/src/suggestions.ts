import type { Schemas } from './api.js';

type Suggested = Schemas['Suggested'];

const WAIT_MS = 200;

/** Offers words, tags and people for the text in the search field of the header. */
export function offerSuggestions(): void {
  const field = document.querySelector<HTMLInputElement>('.search input');
  if (field === null) return;
  const list = document.createElement('datalist');
  list.id = 'suggestions';
  field.after(list);
  field.setAttribute('list', list.id);
  let timer: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void load(field.value.trim()).catch(() => undefined), WAIT_MS);
  });

  async function load(text: string): Promise<void> {
    const response = await fetch(`/v1/search/suggest?limit=4&q=${encodeURIComponent(text)}`);
    if (!response.ok || text !== field!.value.trim()) return;
    const { data } = (await response.json()) as { data: Suggested };
    const values = [...data.words, ...data.tags.map(({ tag }) => tag), ...data.users.map(({ username }) => username)];
    list.replaceChildren(
      ...[...new Set(values)].map((value) => Object.assign(document.createElement('option'), { value })),
    );
  }
}
