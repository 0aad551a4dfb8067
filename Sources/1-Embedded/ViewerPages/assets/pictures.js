// Chooses the image that can show a page at once.

/// The address of an image that is here: this one, otherwise an earlier one of the same page. Null if there is none.
export const pictureOf = (image) => (image.here ? image.src : image.older);
