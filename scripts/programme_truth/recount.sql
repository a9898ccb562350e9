-- The meters once more, over the rows themselves: one line for each network, merchant id and region,
-- with what a month comes to. `all` counts the account, whatever the merchant id.
-- Parameters: account, since and until (the month), before (the first moment of the month before).
WITH told AS (
    SELECT *, CASE WHEN at_ms >= :since THEN 'now' ELSE 'before' END AS month
    FROM outcomes WHERE account_id = :account AND at_ms >= :before AND at_ms < :until
      AND kind IN ('SETTLED', 'FRAUD_REPORT', 'DISPUTE')
), of_merchant AS (
    SELECT merchant_id, min(region) AS region FROM told
    WHERE region IS NOT NULL AND merchant_id IS NOT NULL
    GROUP BY merchant_id HAVING count(DISTINCT region) = 1
), of_account AS (
    SELECT min(region) AS region FROM told WHERE region IS NOT NULL HAVING count(DISTINCT region) = 1
), placed AS (
    SELECT told.month, told.network, told.merchant_id, told.kind, told.reason, told.currency,
           told.amount, told.three_d_secure,
           COALESCE(told.region, of_merchant.region, (SELECT region FROM of_account)) AS region,
           CASE WHEN told.kind = 'FRAUD_REPORT' AND COALESCE(told.result, '') <> 'RESOLVED_BEFORE'
                THEN 1 ELSE 0 END AS report,
           CASE WHEN told.kind = 'DISPUTE' AND COALESCE(told.result, '') <> 'RESOLVED_BEFORE'
                 AND COALESCE(told.stage, '') <> 'INQUIRY' THEN 1 ELSE 0 END AS dispute,
           CASE WHEN told.reason LIKE '10.%' OR told.reason IN ('10', '4837', '4863')
                THEN 1 ELSE 0 END AS fraud
    FROM told LEFT JOIN of_merchant ON of_merchant.merchant_id = told.merchant_id
), parts AS (
    SELECT 'all' AS part, NULL AS merchant, placed.* FROM placed
    UNION ALL
    SELECT 'one', merchant_id, placed.* FROM placed WHERE merchant_id IS NOT NULL
)
SELECT part, network, merchant, region,
       SUM(CASE WHEN month = 'now' THEN report + dispute ELSE 0 END) AS fraud_and_disputes,
       SUM(CASE WHEN month = 'now' THEN report + dispute * (1 - fraud) ELSE 0 END)
           AS fraud_and_other_disputes,
       SUM(CASE WHEN month = 'now' THEN dispute ELSE 0 END) AS chargebacks,
       SUM(CASE WHEN month = 'now' THEN dispute * fraud ELSE 0 END) AS fraud_chargebacks,
       SUM(CASE WHEN month = 'now' AND kind = 'SETTLED' THEN 1 ELSE 0 END) AS sales,
       SUM(CASE WHEN month = 'before' AND kind = 'SETTLED' THEN 1 ELSE 0 END) AS sales_before,
       SUM(CASE WHEN month = 'before' AND kind = 'SETTLED' AND three_d_secure = 1
                THEN 1 ELSE 0 END) AS three_ds_before,
       SUM(CASE WHEN month = 'now' AND currency = 'USD' THEN dispute * fraud * amount ELSE 0 END)
           AS fraud_usd,
       SUM(CASE WHEN month = 'now' AND currency = 'EUR' THEN dispute * fraud * amount ELSE 0 END)
           AS fraud_eur
FROM parts GROUP BY part, network, merchant, region
