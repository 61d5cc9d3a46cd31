const SHOWN_MS = 10_000;

/** Shows a failure at the bottom of the window, and reads it to screen readers. A later one replaces it. */
export function showFailure(text: string, close: string): void {
  document.querySelector('.toast')?.remove();
  const toast = document.createElement('div');
  toast.className = 'toast';
  const message = document.createElement('p');
  message.setAttribute('role', 'alert');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = close;
  button.addEventListener('click', () => toast.remove());
  toast.append(message, button);
  document.body.append(toast);
  // An alert is read when its text changes.
  message.textContent = text;
  setTimeout(() => toast.remove(), SHOWN_MS);
}
