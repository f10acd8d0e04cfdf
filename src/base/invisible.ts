// The characters that no person is shown as they are, in one place for text, JSON and completion. How they are shown
// instead is for each of these to say.

// Text from outside, made safe to show to a person: no control byte, no escape sequence, nothing that
// reorders or hides. What is taken out stays visible as \u{1b}. JSON has its own escapes (`json.ts`).

// The characters that no person is shown as they are, in one place for text, JSON and completion. How they are shown
// instead is for each of these to say.

/**
 * Control characters but newline and tab, what reorders text, and what is not seen at all, so that two texts which
 * differ would look the same. Joiners and variation selectors stay: they make up emoji and shape words.
 */
export const INVISIBLE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ufff9-\ufffb\p{Surrogate}]|\p{Default_Ignorable_Code_Point}(?<!\u200c|\u200d|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0f])/gu;
