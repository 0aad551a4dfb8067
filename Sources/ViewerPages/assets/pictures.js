// Which of its images shows a page at once.

/// The address of an image that is here: the one itself, else one of the same that was made before. Null where there is none.
export const pictureOf = (image) => (image.here ? image.src : image.older);
