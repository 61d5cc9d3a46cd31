import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en, type Texts } from '../texts/en.js';

export const TextsContext = createContext<Texts>(en);
export const useTexts = (): Texts => useContext(TextsContext);
