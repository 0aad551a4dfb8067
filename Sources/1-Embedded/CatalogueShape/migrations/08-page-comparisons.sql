-- Whether a page of a chart looks as it did on a former one, so that it is found out once only.

CREATE TABLE page_comparisons (
    former TEXT NOT NULL,
    chart TEXT NOT NULL,
    page INTEGER NOT NULL,
    differs INTEGER NOT NULL,
    PRIMARY KEY (former, chart, page)
) STRICT, WITHOUT ROWID;
