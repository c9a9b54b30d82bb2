/** The forms in which a report can be written. */
export const REPORT_FORMATS = ["pretty", "json", "junit", "github", "markdown"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];
