-- The store of facts that `specs/finance-facts` reads. Values are texts, so that every digit stays as it was reported.
CREATE TABLE IF NOT EXISTS fact_metric (
  metric TEXT NOT NULL,
  entity TEXT NOT NULL,
  period TEXT NOT NULL,
  channel TEXT NOT NULL,
  value TEXT NOT NULL,
  unit TEXT NOT NULL,
  doc TEXT NOT NULL,
  locator TEXT NOT NULL,
  PRIMARY KEY (metric, entity, period, channel)
);
DELETE FROM fact_metric;
INSERT INTO fact_metric VALUES
  ('REVENUE', 'ACME_CN', 'FY2023', 'TOTAL', '98,214.6', 'CNY m', 'AR2023', 'p. 14'),
  ('REVENUE', 'ACME_CN', 'FY2024', 'TOTAL', '104,377.1', 'CNY m', 'AR2024', 'p. 12'),
  ('REVENUE', 'ACME_CN', 'FY2025', 'TOTAL', '112,908.4', 'CNY m', 'AR2025', 'p. 12'),
  ('REVENUE', 'ACME_CN', 'FY2025', 'AGENCY', '61,255.0', 'CNY m', 'AR2025', 'p. 31'),
  ('REVENUE', 'ACME_HK', 'FY2024', 'TOTAL', '18,440.2', 'HKD m', 'AR2024', 'p. 47'),
  ('REVENUE', 'ACME_HK', 'FY2025', 'TOTAL', '17,902.9', 'HKD m', 'AR2025', 'p. 46'),
  ('REVENUE', 'ACME_GROUP', 'FY2025', 'TOTAL', '129,481.7', 'CNY m', 'AR2025', 'p. 8'),
  ('PREMIUM', 'ACME_CN', 'FY2024', 'TOTAL', '88,102.3', 'CNY m', 'AR2024', 'p. 16'),
  ('PREMIUM', 'ACME_CN', 'FY2025', 'TOTAL', '93,775.8', 'CNY m', 'AR2025', 'p. 16'),
  ('PREMIUM', 'ACME_CN', 'FY2025', 'BANK', '20,118.9', 'CNY m', 'AR2025', 'p. 33'),
  ('PREMIUM', 'ACME_HK', 'FY2025', 'TOTAL', '14,660.0', 'HKD m', 'AR2025', 'p. 48'),
  ('NET_PROFIT', 'ACME_GROUP', 'FY2024', 'TOTAL', '9,014.25', 'CNY m', 'AR2024', 'p. 9'),
  ('NET_PROFIT', 'ACME_GROUP', 'FY2025', 'TOTAL', '9,870.50', 'CNY m', 'AR2025', 'p. 9'),
  ('COMBINED_RATIO', 'ACME_CN', 'FY2025', 'TOTAL', '96.7', '%', 'AR2025', 'p. 22'),
  ('SOLVENCY', 'ACME_GROUP', 'FY2025', 'TOTAL', '214', '%', 'AR2025', 'p. 58');
