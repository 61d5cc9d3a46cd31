import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Texts } from '../texts/en.js';

export const TextsContext = createContext<Texts>(undefined as never);
export const useTexts = (): Texts => useContext(TextsContext);
