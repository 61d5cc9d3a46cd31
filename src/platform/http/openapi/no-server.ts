/** The address in the committed document; a running server replaces it with its own. */
export const NO_SERVER = 'https://api.example.org';
